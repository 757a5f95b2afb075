import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { QueuedJob } from '../../../shared/contract/admin.js';
import type { SimilarThreads } from '../../../shared/contract/similar.js';
import { createApiKey } from '../../../shared/store/apiKeys.js';
import { until } from '../../support/apiServer.js';
import { startArchive, type TestArchive } from '../../support/archive.js';
import { everyTrace } from '../../support/everyTrace.js';
import { anExport, anExportMessage, anExportUser } from '../../support/exportFiles.js';
import { anId } from '../../support/factories.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';
import { everyAnswer } from '../../support/wholeArchive.js';

const USER_ID = '777777777777777701';
const ZYX = anExportUser({
  id: USER_ID,
  name: 'zyxwvuts',
  nickname: 'Zyx Wvuts',
  avatarUrl: `https://cdn.discordapp.com/avatars/${USER_ID}/abc.png?size=512`,
});
const TRACES = /777777777777777701|zyxwvuts|zyx wvuts|secretword/i;
const GRACE = anExportUser({ id: '100000000000000002', name: 'grace', nickname: 'Grace' });

/** Threads of one topic: so each is shown as similar to the others. */
function threads() {
  const topic = (n: number) => `Adjusting the sextant of Zyx Wvuts for the horizon ${n}`;
  return [0, 1, 2, 3].map((n) => {
    const first = anId();
    const asked = { content: `The sextant horizon is ${n} degrees off` };
    const messages = [
      anExportMessage({ id: first, author: n === 0 ? ZYX : anExportUser(), ...asked }),
      anExportMessage({ author: ZYX, content: `A secretword about the sextant ${n}` }),
      anExportMessage({ author: GRACE, content: `Ask @Zyx Wvuts`, mentions: [ZYX] }),
    ];
    return anExport({ channel: { id: first, name: topic(n) }, messages });
  });
}

describe('erasing a person, as readers see it', function () {
  this.timeout(120_000);
  let archive: TestArchive;
  const roots = threads();
  const ids = roots.map(({ channel }) => channel.id);
  before(async () => {
    archive = await startArchive({ env: { DISABLE_AUTH: 'true' } });
  });
  after(() => archive.close());

  const similar = (id: string) => archive.json<SimilarThreads>(`/api/threads/${id}/similar`);
  const upload = async (root: object) => {
    const reply = await archive.api.send('POST', '/admin/import', {}, root);
    const { statusUrl } = reply.json() as QueuedJob;
    await until(async () => (await archive.json<{ state: string }>(statusUrl)).state === 'done');
  };
  /** Everything that can be read over HTTP, as texts. */
  const answers = async (): Promise<string[]> => {
    const texts = [...(await everyAnswer(archive))].map((answer) => JSON.stringify(answer));
    const more = [
      ...ids.map((id) => `/api/threads/${id}/similar`),
      ...['sextant', 'horizon', 'ask'].map((word) => `/api/search?q=${word}&limit=100`),
      '/api/suggest?q=adj',
      ...[USER_ID, '0', GRACE.id].map((id) => `/users/${id}`),
      '/admin/audit',
      '/admin/keys',
      '/admin/jobs',
    ];
    for (const path of more) texts.push((await archive.api.get(path)).body.toString());
    return texts;
  };
  const exported = () =>
    withTemporaryFolder(async (folder) => {
      const target = join(folder, 'archive');
      const run = await archive.cli('export', target);
      expect(run, run.stderr).to.include({ code: 0 });
      const paths = (await readdir(target, { recursive: true })).map((path) => join(target, path));
      const texts: string[] = [];
      for (const path of paths)
        if ((await stat(path)).isFile()) texts.push(path, await readFile(path, 'utf8'));
      return texts;
    });
  const traces = async (read: () => Promise<string[]>) =>
    (await read()).filter((text) => TRACES.test(text));

  it('leaves nothing of them in any answer, in an exported archive or in what operators left', async () => {
    for (const root of roots) await upload(root);
    const { collections } = archive.api.stores.mongo;
    const account = { userId: USER_ID, username: 'zyxwvuts', avatar: ZYX.avatarUrl! };
    const times = { createdAt: new Date(), expiresAt: new Date(Date.now() + 60_000) };
    await collections.refreshTokens.insertOne({ _id: 'f', generation: 0, ...account, ...times });
    const key = { name: `key of ${USER_ID}`, level: 'read' as const, expiresAt: null };
    await createApiKey(collections, key);
    await collections.audit.insertOne({
      ...{ _id: 'a'.repeat(24), at: new Date(), operation: 'createKey', outcome: 'done' },
      ...{ caller: { kind: 'jwt', id: USER_ID }, params: { name: key.name }, status: 201 },
    });
    await until(async () => (await similar(ids[1]!)).threads.length > 0, 20_000);
    expect(await traces(answers)).to.have.length.above(20);
    expect(await traces(exported)).to.have.length.above(3);

    const run = await archive.cli('erase-user', USER_ID);
    expect(run, run.stderr).to.include({ code: 0 });

    expect(await traces(answers)).to.deep.equal([]);
    expect(await traces(exported)).to.deep.equal([]);
    expect(await collections.refreshTokens.countDocuments()).to.equal(0);
    expect(await collections.audit.findOne({ _id: 'a'.repeat(24) })).to.deep.include({
      caller: { kind: 'jwt', id: '0' },
      params: { name: 'key of 0' },
    });
    expect((await similar(ids[1]!)).threads.map(({ title }) => title)).to.include(
      'Adjusting the sextant of deleted-user for the horizon 2',
    );
    expect(await archive.json('/api/threads'))
      .to.have.property('threads')
      .with.length(4);
  });

  it('leaves nothing of them in any store', async () => {
    expect(await traces(() => everyTrace(archive.api.stores))).to.deep.equal([]);
  });
});
