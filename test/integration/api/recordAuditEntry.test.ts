import { expect } from 'chai';
import { forgetAccount } from '../../../services/indexer/records/forgetAccount.js';
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

  /** Where the dashboard changes a job, by its id. */
  const path = '/admin/queues/api/queues/archive';
  const latest = () =>
    store().audit.findOne({ operation: 'queueDashboard' }, { sort: { _id: -1 } });
  const escaped = (text: string) =>
    text.replace(/./g, (one) => `%${one.charCodeAt(0).toString(16)}`);

  it('of a person who is erased later names nobody, even if their id was percent-encoded', async () => {
    const admin = { 'X-API-Key': await api.key('admin') };
    const [erased, other] = [anId(), anId()];
    const kept: string[] = [];
    const twice = escaped(erased).replaceAll('%', '%25');
    for (const id of [escaped(erased), twice, escaped(other)]) {
      await api.send('PUT', `${path}/%20${id}%0a/retry`, admin);
      const { _id, params } = (await latest())!;
      expect(params['path']).to.equal(`${path}/%20${id}%0a/retry`);
      kept.push(_id);
    }
    await forgetAccount(store(), erased);
    const left = await store()
      .audit.find({ _id: { $in: kept } }, { sort: { _id: 1 } })
      .toArray();
    expect(JSON.stringify(left)).to.not.include(erased);
    expect(left.map(({ params }) => params['path'])).to.deep.equal([
      `${path}/ 0%0a/retry`,
      `${path}/ 0%0a/retry`,
      `${path}/%20${escaped(other)}%0a/retry`,
    ]);
  });

  it('is stored and cleaned, whatever the signs in front of an id are', async () => {
    const erased = `14${anId().slice(2)}`;
    // JSON writes the first sign as \u0014.
    const name = `\u0014${erased.slice(2)}`;
    const entry = {
      caller: { kind: 'key', id: '1' },
      operation: 'createKey',
      outcome: 'done',
      params: { name, list: [{ [`of ${erased}`]: erased }] },
    };
    const before = await recordAuditEntry(store(), entry);
    await requestErasure(store(), erased);
    await forgetAccount(store(), erased);
    const after = await recordAuditEntry(store(), entry);
    for (const _id of [before, after])
      expect((await store().audit.findOne({ _id }))?.params).to.deep.equal({
        name,
        list: [{ 'of 0': '0' }],
      });
  });

  it('holds no secret and no id of an erased person in percent-encoded form', async () => {
    const admin = { 'X-API-Key': await api.key('admin') };
    const erased = anId();
    await requestErasure(store(), erased);
    const { key } = await createApiKey(store(), { name: 'x', level: 'read', expiresAt: null });
    for (const [sent, kept] of [
      [`%66a_${key.slice(3)}`, '(secret)'],
      [`%2566a_${key.slice(3)}`, '(secret)'],
      // A part of this one looks like a whole key.
      [`%66a_${'1'.repeat(14)}${key}`, '(secret)'],
      [escaped(key), '(secret)'],
      [escaped(erased), '0'],
      ['verify-%20x', 'verify-%20x'],
    ]) {
      await api.send('PUT', `${path}/${sent}/retry`, admin);
      const entry = await latest();
      expect(entry?.params['path']).to.equal(`${path}/${kept}/retry`);
      expect(JSON.stringify(entry)).to.not.include(key.slice(-12)).and.not.include(erased);
    }
  });
});
