import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { Binary } from 'mongodb';
import { bodyReader, type ReadBody } from '../../../services/api/bodies/bodyReader.js';
import { loadBody } from '../../../services/api/bodies/findBody.js';
import { formOf, type MakeBody } from '../../../services/api/http/forms.js';
import type { Announcement } from '../../../shared/jobs/announcements.js';
import { subjectOf, type BodyKind } from '../../../shared/store/bodyKinds.js';
import { startApi, until, untilEqual, type ApiServer } from '../../support/apiServer.js';
import { storeBody, storeChunkedBody } from '../../support/apiViews.js';
import { PATIENT_READS } from '../../support/patientReads.js';

const SERVER = '900000000000000001';
const THREAD = '900000000000000002';
const USER = '900000000000000003';

const SUBJECTS = {
  server: { id: SERVER, absent: 'Server' },
  thread: { id: THREAD, absent: 'Thread' },
  user: { id: USER, absent: 'User' },
};

const OF_SERVER = { servers: [SERVER] };
const OF_THREAD = { threads: [{ threadId: THREAD, serverId: SERVER, channelId: '1' }] };

/** Where each kind of body is read, and what is announced when one has changed. */
const KINDS: Record<BodyKind, { paths: string[]; changed: Partial<Announcement> }> = {
  server: { paths: [`/api/servers/${SERVER}`], changed: OF_SERVER },
  channels: { paths: [`/api/servers/${SERVER}/channels`], changed: OF_SERVER },
  tags: { paths: [`/api/servers/${SERVER}/tags`], changed: OF_SERVER },
  stats: { paths: [`/api/servers/${SERVER}/stats`], changed: { statistics: [SERVER] } },
  thread: { paths: [`/api/threads/${THREAD}`], changed: OF_THREAD },
  participants: { paths: [`/api/threads/${THREAD}/participants`], changed: OF_THREAD },
  similar: { paths: [`/api/threads/${THREAD}/similar`], changed: { similar: [THREAD] } },
  user: { paths: [`/users/${USER}`, `/api/users/${USER}`], changed: { users: [USER] } },
};

const CASES = (Object.keys(KINDS) as BodyKind[]).map((kind) => {
  const { id, absent } = SUBJECTS[subjectOf(kind)];
  return { body: `${kind}/${id}`, absent, ...KINDS[kind] };
});

describe('stored bodies', () => {
  let api: ApiServer;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  for (const { body, paths, absent } of CASES) {
    for (const path of paths) {
      it(`answers ${path} with ${body}`, async () => {
        const value = { of: body, text: 'Zoë says “hi” 👋' };
        await storeBody(api.stores.mongo.collections, body, value);
        const reply = await api.get(path);
        expect(reply.status).to.equal(200);
        expect(reply.headers['content-type']).to.equal('application/json; charset=utf-8');
        expect(reply.json()).to.deep.equal(value);
        expect(reply.headers['content-length']).to.equal(String(reply.body.length));
      });

      it(`answers ${path} with 404 for ids that are unknown or gone, and for texts that are no ids`, async () => {
        const { collections } = api.stores.mongo;
        const id = path.match(/\d{18}/)?.[0] ?? '';
        const gone = '900000000000000404';
        await storeBody(collections, body.replace(id, gone), {}, { gone: true });
        for (const other of [
          gone,
          '123',
          '0',
          'abc',
          '1'.repeat(21),
          '1'.repeat(5_000),
          `${id}x`,
          `%20${id}`,
          `${id}%00`,
          '%00',
          '__proto__',
          '$gt',
          '%2e%2e%2fserver',
          `..%2F${id}`,
          'NaN',
          '-1',
          '٣',
          '%D9%A3',
        ]) {
          const reply = await api.get(path.replace(id, encodeOnce(other)));
          expect(reply.status, other).to.equal(404);
          const expected = { error: `${absent} not found`, code: 'NOT_FOUND' };
          expect(reply.json(), other).to.deep.equal(expected);
          expect(reply.headers['cache-control']).to.equal('no-store');
        }
      });
    }
  }

  for (const { body, paths, changed } of CASES) {
    it(`answers with the same ${body} until an announcement`, async () => {
      const { mongo } = api.stores;
      const told = () => Promise.all(paths.map(async (path) => (await api.get(path)).json()));
      const before = await told();
      const value = { of: body, text: 'Changed' };
      await storeBody(mongo.collections, body, value);
      expect(await told()).to.deep.equal(before);
      await api.announce(changed);
      await untilEqual(told, Array(paths.length).fill(value));
    });
  }

  it('lists servers, none before the first import', async () => {
    expect((await api.get('/api/servers')).json()).to.deep.equal({ servers: [] });
    await storeBody(api.stores.mongo.collections, 'servers/all', { servers: [{ id: SERVER }] });
    await api.announce({ servers: [SERVER] });
    const servers = async () => (await api.get('/api/servers')).json();
    await untilEqual(servers, { servers: [{ id: SERVER }] });
  });

  it('sends a large body in its pieces, to any client', async () => {
    const value = { messages: Array.from({ length: 40_000 }, (_, n) => `${n} ${Math.random()}`) };
    await storeChunkedBody(api.stores.mongo.collections, 'thread/77', value, 20_000);
    const [plain, packed] = await Promise.all([
      api.get('/api/threads/77'),
      api.get('/api/threads/77', { 'Accept-Encoding': 'gzip' }),
    ]);
    expect(plain.json()).to.deep.equal(value);
    expect(plain.headers['content-length']).to.equal(String(plain.body.length));
    expect(JSON.parse(gunzipSync(packed.body).toString())).to.deep.equal(value);
    expect(packed.headers['content-encoding']).to.equal('gzip');
    const head = await api.send('HEAD', '/api/threads/77');
    expect(head.headers['content-length']).to.equal(String(plain.body.length));
    const etag = String(packed.headers.etag);
    const headers = { 'Accept-Encoding': 'gzip', 'If-None-Match': etag };
    expect((await api.get('/api/threads/77', headers)).status).to.equal(304);
  });

  it('refuses to stream more than 64 bodies at once', async () => {
    const value = Array.from({ length: 20_000 }, () => Math.random());
    await storeChunkedBody(api.stores.mongo.collections, 'thread/79', value, 100_000);
    const open: Readable[] = [];
    const asksGzip = { headers: { 'accept-encoding': 'gzip' } };
    for (let n = 0; n < 64; n += 1) {
      const openGzip = () => new Readable({ read: () => undefined });
      const form = await formOf(asksGzip, { etag: 'x', length: 10, openGzip });
      open.push((await (form.body as MakeBody)(`client ${n % 4}`)) as Readable);
    }
    const path = '/api/threads/79';
    // A request with a credential is answered by other code.
    const clients = [{}, { 'X-API-Key': 'unknown' }].flatMap((credential) =>
      ['gzip', 'identity'].map((encoding) => ({ ...credential, 'Accept-Encoding': encoding })),
    );
    for (const client of clients) {
      const refused = await api.get(path, client);
      expect(refused.status).to.equal(503);
      expect(refused.json()).to.include({ code: 'UNAVAILABLE' });
      expect(refused.headers).to.include({ 'retry-after': '5', 'cache-control': 'no-store' });
      expect(refused.headers).to.not.have.any.keys('etag', 'content-encoding');
    }
    for (const headers of [{}, { 'X-API-Key': 'unknown' }]) {
      expect((await api.send('HEAD', path, headers)).status).to.equal(200);
    }
    open.shift()!.destroy();
    await until(async () => (await api.get(path)).status === 200);
    // When the body is sent, its place is free again.
    await until(async () => (await api.get(path)).status === 200);
    for (const stream of open) stream.destroy();
  });

  it('streams to others while one client takes none of what it asked for', async () => {
    const value = Array.from({ length: 20_000 }, () => Math.random());
    await storeChunkedBody(api.stores.mongo.collections, 'thread/80', value, 100_000);
    const openGzip = () => new Readable({ read: () => undefined });
    const answer = { etag: 'x', length: 10, openGzip };
    const form = await formOf({ headers: { 'accept-encoding': 'gzip' } }, answer);
    const asked = await Promise.allSettled(
      Array.from(
        { length: 64 },
        async () => (await (form.body as MakeBody)('one client')) as Readable,
      ),
    );
    for (const encoding of ['gzip', 'identity']) {
      const reply = await api.get('/api/threads/80', { 'Accept-Encoding': encoding });
      expect(reply.status).to.equal(200);
    }
    const opened = asked.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    for (const stream of opened) stream.destroy();
    expect(opened.length).to.equal(16);
  });

  it('are held in memory of their own, not in that of a whole reply of MongoDB', async () => {
    const { collections } = api.stores.mongo;
    await storeBody(collections, 'thread/83', { text: 'x' });
    const body = await bodyReader(collections, PATIENT_READS)('thread/83');
    expect(body?.gzip?.buffer.byteLength).to.equal(body?.gzip?.length).and.be.above(0);
  });

  it('are known to be removed, also where they are read together with others', async () => {
    const { collections } = api.stores.mongo;
    await storeBody(collections, 'thread/84', { text: 'x' });
    await storeBody(collections, 'thread/85', {}, { gone: true });
    const read = bodyReader(collections, PATIENT_READS);
    const [kept, removed] = await Promise.all([read('thread/84'), read('thread/85')]);
    expect([kept?.gone, removed?.gone]).to.deep.equal([undefined, true]);
  });

  describe('that are replaced while they are read', () => {
    const [name, value] = ['thread/81', { text: 'x' }];

    /** Reads a body of which the pieces of the first few revisions are gone before they can be read. */
    const read = async (replacements: number) => {
      const { collections } = api.stores.mongo;
      const readStored = bodyReader(collections, PATIENT_READS);
      let left = replacements;
      const readBody: ReadBody = async (asked) => {
        const found = await readStored(asked);
        left -= 1;
        if (left >= 0) await collections.pieces.deleteMany({ _id: /^body\/thread\/81\// });
        if (left === 0) await storeChunkedBody(collections, name, value, 1_000);
        return found;
      };
      return loadBody({ ...collections, readBody }, name);
    };

    it('are read again, and asked for in a second when they are replaced each time', async () => {
      await storeChunkedBody(api.stores.mongo.collections, name, value, 1_000);
      const answer = await read(2);
      expect(answer?.length).to.equal(JSON.stringify(value).length);
      const error: unknown = await read(4).catch((failure: unknown) => failure);
      expect(error).to.include({ code: 'UNAVAILABLE' }).and.to.have.property('headers');
      const reply = await api.get('/api/threads/81');
      expect(reply.status).to.equal(503);
      expect(reply.headers).to.include({ 'retry-after': '1' });
    });
  });

  it('are told to be wrong where they are damaged, and the operator learns why', async () => {
    const gzip = new Binary(Buffer.from('not gzip'));
    await storeBody(api.stores.mongo.collections, 'thread/82', { text: 'x' }, { gzip });
    for (const headers of [{}, { 'X-API-Key': 'unknown' }]) {
      const reply = await api.get('/api/threads/82', headers);
      expect([reply.status, reply.json()]).to.deep.equal([
        500,
        { error: 'Something went wrong', code: 'INTERNAL_ERROR' },
      ]);
      const id = reply.headers['x-request-id'];
      const told = api.log.filter(({ msg, requestId }) => msg !== 'Request' && requestId === id);
      expect(told.map(({ level, msg }) => [level, msg])).to.deep.equal([[50, 'A request failed']]);
      expect(JSON.stringify(told)).to.contain('incorrect header check');
    }
  });

  it('cuts the connection, rather than end early, when a piece of a large body is lost', async () => {
    const { collections } = api.stores.mongo;
    const value = Array.from({ length: 200_000 }, () => Math.random());
    await storeChunkedBody(collections, 'thread/78', value, 100_000);
    const last = await collections.pieces.findOne(
      { _id: /^body\/thread\/78\// },
      { sort: { _id: -1 }, projection: { _id: 1 } },
    );
    await collections.pieces.deleteOne({ _id: last!._id });
    const outcome = await api.get('/api/threads/78').catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(Error);
    expect((await api.get('/healthz')).status).to.equal(200);
  });
});

/** Keeps what is encoded, and encodes the rest for a request line. */
function encodeOnce(text: string): string {
  return encodeURI(decodeURI(text)).replace(/\0/g, '%00');
}

describe('streams of bodies behind a proxy, without rate limits', () => {
  let api: ApiServer;
  before(async () => {
    api = await startApi({ env: { RATE_LIMIT_DISABLED: 'true', TRUST_PROXY: '1' } });
  });
  after(() => api.close());

  it('are refused to a reader who has many open, and not to others', async () => {
    // It is longer than what a connection buffers, so it stays open while its reader does not read.
    const value = { text: 'x'.repeat(16 << 20) };
    await storeBody(api.stores.mongo.collections, `thread/${THREAD}`, value);
    const path = `/api/threads/${THREAD}`;
    const of = (reader: string) => ({ 'X-Forwarded-For': reader });
    const agent = new Agent();
    const open = async (): Promise<void> => {
      const sent = get(api.url + path, { agent, headers: of('203.0.113.1') });
      const [{ statusCode }] = (await once(sent, 'response')) as [IncomingMessage];
      expect(statusCode).to.equal(200);
    };
    try {
      await Promise.all(Array.from({ length: 16 }, open));
      expect((await api.get(path, of('203.0.113.1'))).status).to.equal(503);
      for (const credential of [{}, { 'X-API-Key': 'wrong' }]) {
        const reply = await api.get(path, { ...of('203.0.113.2'), ...credential });
        expect(reply.status).to.equal(200);
      }
    } finally {
      agent.destroy();
    }
  });
});
