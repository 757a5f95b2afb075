import { connect } from 'node:net';
import { expect } from 'chai';
import { apiKeyId } from '../../../shared/store/apiKeys.js';
import type { ApiKeyRecord } from '../../../shared/store/credentials.js';
import { until } from '../../support/apiServer.js';
import { startAuth, type AuthServer } from '../../support/authServer.js';
import { anExport } from '../../support/exportFiles.js';

describe('a body that arrives after its credential has ended', () => {
  let api: AuthServer;
  before(async () => {
    api = await startAuth();
  });
  after(() => api.close());

  const collections = () => api.stores.mongo.collections;
  const recordOf = (key: string) => collections().apiKeys.findOne({ _id: apiKeyId(key)! });
  const change = (key: string, fields: Partial<ApiKeyRecord>) =>
    collections().apiKeys.updateOne({ _id: apiKeyId(key)! }, { $set: fields });

  /** Sends a request without the end of its body, ends its credential, and then sends the rest. */
  const sendLate = async (
    key: string,
    { path, guarded, body }: { path: string; guarded: string; body: object },
    end: Partial<ApiKeyRecord>,
  ): Promise<string> => {
    const text = JSON.stringify(body);
    const { send, answer } = openRequest(api.url, `POST ${path}`, key, Buffer.byteLength(text));
    send(text.slice(0, -1));
    // The first use of a key is noted, so the request has been admitted then.
    await until(async () => Boolean((await recordOf(key))?.lastUsedAt));
    await change(key, end);
    await until(async () => (await api.get(guarded, { 'X-API-Key': key })).status > 400);
    send(text.slice(-1));
    return answer;
  };

  for (const [ended, end, refusal] of [
    ['was revoked', { revokedAt: new Date() }, '403'],
    ['has expired', { expiresAt: new Date(0) }, '401'],
    ['has a lower level', { level: 'read' }, '403'],
  ] as const) {
    it(`makes no key where the caller’s key ${ended}`, async () => {
      const key = await api.key('admin');
      const keys = await collections().apiKeys.countDocuments();
      const body = { name: 'late', level: 'admin' };
      const path = '/admin/keys';
      const answer = await sendLate(key, { path, guarded: path, body }, end);
      expect(answer.slice(0, 12)).to.equal(`HTTP/1.1 ${refusal}`);
      expect(await collections().apiKeys.countDocuments()).to.equal(keys);
      const about = { 'caller.id': apiKeyId(key)!, operation: 'createKey' };
      expect(await collections().audit.findOne(about)).to.include({ status: Number(refusal) });
    });
  }

  it('imports nothing where the key was revoked, and keeps nothing of the upload', async () => {
    const upload = { path: '/admin/import', guarded: '/admin/quarantine', body: anExport() };
    const answer = await sendLate(await api.key('write'), upload, { revokedAt: new Date() });
    expect(answer.slice(0, 12)).to.equal('HTTP/1.1 403');
    expect(await collections().importFiles.countDocuments()).to.equal(0);
    expect(await collections().pieces.countDocuments()).to.equal(0);
  });

  it('is not waited for by the queue dashboard, which needs none', async () => {
    const key = await api.key('admin');
    for (const action of ['pause', 'resume']) {
      const line = `PUT /admin/queues/api/queues/archive/${action}`;
      const { send, answer } = openRequest(api.url, line, key, 100);
      send('{');
      expect(await answer, action).to.match(/^HTTP\/1.1 200 /);
    }
  });
});

/** Sends the head of a request. `answer` resolves with the answer. */
function openRequest(
  url: string,
  line: string,
  key: string,
  bytes: number,
): { send: (text: string) => void; answer: Promise<string> } {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const head = [
    `${line} HTTP/1.1`,
    'Host: localhost',
    'Connection: close',
    `X-API-Key: ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${bytes}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const answer = new Promise<string>((resolve, reject) => {
    let text = '';
    socket.on('data', (piece) => {
      text += piece.toString();
      // The answer ends here; the API may still wait for the rest of the body.
      if (text.includes('\r\n\r\n')) socket.end();
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
  return { send: (text) => void socket.write(text), answer };
}
