import { expect } from 'chai';
import { createApiKey } from '../../../shared/store/apiKeys.js';
import { requestErasure } from '../../../shared/store/erasures.js';
import { recordAuditEntry } from '../../../shared/store/recordAuditEntry.js';
import { aToken, bearer, startAuth, type AuthServer } from '../../support/authServer.js';
import { anId } from '../../support/factories.js';

describe('an audit entry', () => {
  let api: AuthServer;
  const gone = anId();
  before(async () => {
    api = await startAuth({ ADMIN_USER_IDS: gone });
  });
  after(() => api.close());
  const store = () => api.stores.mongo.collections;

  it('of a person who was erased before names nobody', async () => {
    const other = anId();
    const claims = { sub: gone, sid: await api.login(gone) };
    const token = bearer(aToken({ ...claims, scope: ['read', 'write', 'admin'] }));
    const ask = async (name: string) => {
      const reply = await api.send('POST', '/admin/keys', token, { name, level: 'read' });
      expect(reply.status).to.equal(201);
      return store().audit.findOne({ 'params.name': { $exists: true } }, { sort: { _id: -1 } });
    };
    const name = `for ${gone} by ${other}`;
    expect(await ask(name)).to.deep.include({ caller: { kind: 'jwt', id: gone } });
    await requestErasure(store(), gone);
    expect(await ask(name)).to.deep.include({
      caller: { kind: 'jwt', id: '0' },
      params: { name: `for 0 by ${other}`, level: 'read' },
    });
  });

  it('holds at most 200 characters of each text, and no part of a secret', async () => {
    const entryId = await recordAuditEntry(store(), {
      caller: { kind: 'key', id: '1' },
      operation: 'sync',
      outcome: 'VALIDATION_ERROR',
      params: {
        serverId: 'x'.repeat(15_000),
        list: [`${' '.repeat(190)} fr_${'y'.repeat(40)}`, 7],
      },
    });
    expect((await store().audit.findOne({ _id: entryId }))?.params).to.deep.equal({
      serverId: 'x'.repeat(200),
      list: [`${' '.repeat(191)}(secret)`, 7],
    });
  });

  it('holds no secret that was sent in place of an id or a name', async () => {
    const { key } = await createApiKey(store(), { name: 'x', level: 'read', expiresAt: null });
    const token = aToken();
    const entryId = await recordAuditEntry(store(), {
      caller: { kind: 'key', id: '1' },
      operation: 'revokeKey',
      outcome: 'NOT_FOUND',
      params: { keyId: key, name: `a ${token} of fr_${'x'.repeat(40)}` },
    });
    expect((await store().audit.findOne({ _id: entryId }))?.params).to.deep.equal({
      keyId: '(secret)',
      name: 'a (secret) of (secret)',
    });
  });

  it('holds no secret, whatever stands before it', async () => {
    const { key } = await createApiKey(store(), { name: 'x', level: 'read', expiresAt: null });
    const entryId = await recordAuditEntry(store(), {
      caller: { kind: 'key', id: '1' },
      operation: 'createKey',
      outcome: 'done',
      params: { name: `a\n${key}`, path: `/admin/queues/%20${key}`, list: [`my_${key}`] },
    });
    expect((await store().audit.findOne({ _id: entryId }))?.params).to.deep.equal({
      name: 'a\n(secret)',
      path: '/admin/queues/%20(secret)',
      list: ['my_(secret)'],
    });
  });

  it('holds no secret and no id of an erased person in percent-encoded form', async () => {
    const admin = { 'X-API-Key': await api.key('admin') };
    const erased = anId();
    await requestErasure(store(), erased);
    const { key } = await createApiKey(store(), { name: 'x', level: 'read', expiresAt: null });
    const escaped = (text: string) =>
      text.replace(/./g, (one) => `%${one.charCodeAt(0).toString(16)}`);
    const path = '/admin/queues/api/queues/archive';
    for (const [sent, kept] of [
      [`%66a_${key.slice(3)}`, '(secret)'],
      [`%2566a_${key.slice(3)}`, '(secret)'],
      [escaped(key), '(secret)'],
      [escaped(erased), '0'],
      ['verify-%20x', 'verify-%20x'],
    ]) {
      await api.send('PUT', `${path}/${sent}/retry`, admin);
      const entry = await store().audit.findOne(
        { operation: 'queueDashboard' },
        { sort: { _id: -1 } },
      );
      expect(entry?.params['path']).to.equal(`${path}/${kept}/retry`);
      expect(JSON.stringify(entry)).to.not.include(key.slice(-12)).and.not.include(erased);
    }
  });
});
