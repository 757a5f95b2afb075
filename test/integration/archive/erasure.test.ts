import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ServerStats } from '../../../shared/contract/servers.js';
import type { SimilarThreads } from '../../../shared/contract/similar.js';
import type { ThreadDetail } from '../../../shared/contract/threads.js';
import { createApiKey } from '../../../shared/store/apiKeys.js';
import type { ApiKeyRecord } from '../../../shared/store/credentials.js';
import { until } from '../../support/apiServer.js';
import { startArchive, type TestArchive } from '../../support/archive.js';
import { everyTrace } from '../../support/everyTrace.js';
import {
  anExport,
  anExportMessage,
  anExportUser,
  type RawExport,
} from '../../support/exportFiles.js';
import { anId } from '../../support/factories.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';
import { everyAnswer } from '../../support/wholeArchive.js';

const WROTE_IN = 160;
const MENTIONED_IN = 50;
/** With so many messages, an erasure reads the thread in several batches. */
const LONG_THREAD_MESSAGES = 900;
const USER_ID = '777777777777777701';
const ZYX = anExportUser({
  id: USER_ID,
  name: 'zyxwvuts',
  nickname: 'Zyx Wvuts',
  avatarUrl: `https://cdn.discordapp.com/avatars/${USER_ID}/abc.png?size=512`,
});
const GRACE = anExportUser({ id: '100000000000000002', name: 'grace', nickname: 'Grace' });
const TRACES = /777777777777777701|zyxwvuts|zyx wvuts|secretword/i;
const SERVER_ID = anExport().guild.id;

/**
 * A thread that they wrote in: they started it and nobody answered, others answered it, they answered others, or it was
 * about one topic with others.
 */
function wroteIn(n: number): RawExport {
  const first = anId();
  const theirs = (id = anId()) =>
    anExportMessage({ id, author: ZYX, content: `A secretword about the sextant ${n}` });
  const others = (id = anId()) =>
    anExportMessage({ id, content: `The sextant horizon is ${n} degrees off` });
  const names = anExportMessage({ author: GRACE, content: 'Ask @Zyx Wvuts', mentions: [ZYX] });
  const kinds = [
    () => [theirs(first)],
    () => [theirs(first), others()],
    () => [others(first), theirs()],
    () => [others(first), theirs(), names],
  ];
  const name = n % 40 === 1 ? `Adjusting the sextant of Zyx Wvuts for horizon ${n}` : `Topic ${n}`;
  return anExport({ channel: { id: first, name }, messages: kinds[n % 4]!() });
}

/**
 * A thread of others that mentions them and has a reaction by them. Its last message has no list of mentions, as one by
 * a bot.
 */
function mentionsThem(n: number): RawExport {
  const first = anId();
  const emoji = { id: '', name: '👍', code: 'thumbsup', isAnimated: false, imageUrl: '' };
  const asking = anExportMessage({
    id: first,
    author: GRACE,
    content: `Ask @Zyx Wvuts ${n}`,
    mentions: [ZYX],
    reactions: [{ emoji, count: 2, users: [ZYX, GRACE] }],
  });
  const quoting = anExportMessage({
    author: GRACE,
    content: `Quoted ${n}`,
    embeds: [{ title: `cc@Zyx Wvuts, card ${n}` }],
    forwardedMessage: {
      content: `_@Zyx Wvuts_ knows ${n}`,
      timestamp: null,
      timestampEdited: null,
    },
  });
  return anExport({ channel: { id: first, name: `Answer ${n}` }, messages: [asking, quoting] });
}

/** A long thread of others, in which they wrote the last message. */
function aLongThread(): RawExport {
  const others = Array.from({ length: LONG_THREAD_MESSAGES }, (_, n) =>
    anExportMessage({ content: `Position ${n}` }),
  );
  const last = anExportMessage({ author: ZYX, content: 'A secretword at last' });
  return anExport({ channel: { id: others[0]!.id }, messages: [...others, last] });
}

describe('erasing a person who wrote in many threads and is mentioned in others', () => {
  let archive: TestArchive;
  /** All answers after the erasure. */
  let answers: Map<string, unknown>;
  const roots = [
    ...Array.from({ length: WROTE_IN }, (_, n) => wroteIn(n)),
    ...Array.from({ length: MENTIONED_IN }, (_, n) => mentionsThem(n)),
    aLongThread(),
  ];
  const [alone, started] = [roots[0]!.channel.id, roots[1]!.channel.id];
  const kept = roots.length - WROTE_IN / 4;

  const similar = (id: string) => archive.json<SimilarThreads>(`/api/threads/${id}/similar`);
  const stats = async () =>
    (await archive.json<ServerStats>(`/api/servers/${SERVER_ID}/stats`)).stats;
  const importAll = () =>
    withTemporaryFolder(async (folder) => {
      await Promise.all(
        roots.map((root) => {
          const { id, name } = root.channel;
          // The exporter names its files in this way.
          const file = `Server - help - ${name.replace(/[/?]/g, '_')} [${id}].json`;
          return writeFile(join(folder, file), JSON.stringify(root));
        }),
      );
      const run = await archive.cli('import', folder);
      expect(run, run.stderr).to.include({ code: 0 });
    });
  /** Answers over HTTP that everyAnswer does not include, as texts. */
  const otherAnswers = async (): Promise<string[]> => {
    const texts: string[] = [];
    const paths = [
      ...roots.slice(0, 100).map(({ channel }) => `/api/threads/${channel.id}/similar`),
      ...['sextant', 'horizon', 'ask', 'zyx'].map((word) => `/api/search?q=${word}&limit=100`),
      '/api/suggest?q=adj',
      '/admin/audit?limit=100',
      '/admin/keys',
      '/admin/jobs?limit=100',
      ...[USER_ID, '0', GRACE.id].map((id) => `/users/${id}`),
    ];
    for (const path of paths) texts.push((await archive.api.get(path)).body.toString());
    return texts;
  };
  const textsOf = (answers: Map<string, unknown>) =>
    [...answers].map((answer) => JSON.stringify(answer));
  const exported = () =>
    withTemporaryFolder(async (folder) => {
      const target = join(folder, 'archive');
      const run = await archive.cli('export', target);
      expect(run, run.stderr).to.include({ code: 0 });
      const paths = (await readdir(target, { recursive: true })).map((path) => join(target, path));
      const texts: string[] = [];
      for (const path of paths)
        if ((await stat(path)).isFile()) texts.push(path, await readFile(path, 'utf8'));
      expect(texts).to.have.length(2 * kept);
      return texts;
    });
  const tracesIn = async (read: () => Promise<string[]>) =>
    (await read()).filter((text) => TRACES.test(text));
  const stored = () => everyTrace(archive.api.stores);

  before(async () => {
    archive = await startArchive({ env: { DISABLE_AUTH: 'true' } });
    await importAll();
    const { collections } = archive.api.stores.mongo;
    const account = { userId: USER_ID, username: 'zyxwvuts', avatar: ZYX.avatarUrl! };
    const times = { createdAt: new Date(), expiresAt: new Date(Date.now() + 60_000) };
    await collections.refreshTokens.insertOne({ _id: 'f', generation: 0, ...account, ...times });
    const key = { name: `key of ${USER_ID}`, level: 'read' as const, expiresAt: null };
    await createApiKey(collections, key);
    // Somebody may insert keys by hand, without a name, or with one that is no text.
    const byHand = { level: 'read', hash: '', createdAt: new Date() };
    await collections.apiKeys.insertMany([
      { _id: '0000000000000001', ...byHand },
      { _id: '0000000000000002', ...byHand, name: [`of ${USER_ID}`] },
    ] as ApiKeyRecord[]);
    await collections.audit.insertOne({
      _id: 'a'.repeat(24),
      at: new Date(),
      operation: 'createKey',
      outcome: 'done',
      caller: { kind: 'jwt', id: USER_ID },
      params: { name: key.name },
      status: 201,
    });
    // After an import, similar threads are looked for later, a few at a time.
    await until(async () => (await tracesIn(otherAnswers)).length > 20);
    expect(await tracesIn(stored)).to.have.length.above(600);
    await until(async () => (await similar(started)).threads.length > 0);

    const run = await archive.cli('erase-user', USER_ID);
    expect(run, run.stderr).to.include({ code: 0 });
    answers = await everyAnswer(archive);
  });
  after(() => archive.close());

  it('leaves nothing of them in any collection, search document or Redis key', async () => {
    expect(await tracesIn(stored)).to.deep.equal([]);
  });

  it('leaves nothing of them in any answer', async () => {
    expect(textsOf(answers).filter((text) => TRACES.test(text))).to.deep.equal([]);
    expect(await tracesIn(otherAnswers)).to.deep.equal([]);
  });

  it('leaves nothing of them in an exported archive', async () => {
    expect(await tracesIn(exported)).to.deep.equal([]);
  });

  it('gives the same answers after export and import into an empty archive', async () => {
    const copy = await startArchive({ env: { DISABLE_AUTH: 'true' } });
    try {
      await withTemporaryFolder(async (folder) => {
        expect(await archive.cli('export', join(folder, 'out'))).to.include({ code: 0 });
        const run = await copy.cli('import', join(folder, 'out'));
        expect(run, run.stdout + run.stderr).to.include({ code: 0 });
      });
      const restored = await everyAnswer(copy);
      expect([...restored.keys()]).to.deep.equal([...answers.keys()]);
      for (const [path, answer] of answers) expect(restored.get(path), path).to.deep.equal(answer);
    } finally {
      await copy.close();
    }
  });

  it('ends their logins, and removes them from what operators did', async () => {
    const { refreshTokens, audit } = archive.api.stores.mongo.collections;
    expect(await refreshTokens.countDocuments()).to.equal(0);
    expect(await audit.findOne({ _id: 'a'.repeat(24) })).to.deep.include({
      caller: { kind: 'jwt', id: '0' },
      params: { name: 'key of 0' },
    });
  });

  it('keeps the threads that others wrote in, and takes their name out of titles', async () => {
    const detail = await archive.json<ThreadDetail>(`/api/threads/${started}`);
    expect(detail).to.include({
      title: 'Adjusting the sextant of deleted-user for horizon 1',
      messageCount: 1,
    });
    expect((await archive.api.get(`/api/threads/${alone}`)).status).to.equal(404);
    expect((await similar(started)).threads.map(({ title }) => title)).to.include(
      'Adjusting the sextant of deleted-user for horizon 41',
    );
  });

  it('leaves the same counts as a recount of all threads', async () => {
    const bodies = [...answers].filter(([path]) => /^\/api\/threads\/\d+$/.test(path));
    const messages = bodies.flatMap(([, body]) => (body as ThreadDetail).messages);
    expect(await stats()).to.deep.include({
      threads: { total: kept, open: kept, resolved: 0, archived: 0 },
      participants: { unique: 2, humans: 2, bots: 0 },
      reactions: { total: MENTIONED_IN, uniqueEmojis: 1 },
    });
    expect((await stats()).messages).to.include({ total: messages.length, byBots: 0 });
    expect(bodies).to.have.length(kept);
    expect(messages).to.have.length(WROTE_IN + 2 * MENTIONED_IN + LONG_THREAD_MESSAGES);
  });

  it('brings nothing back when the same files are imported again', async () => {
    const before = await stats();
    await importAll();
    expect(await tracesIn(stored)).to.deep.equal([]);
    expect(await tracesIn(otherAnswers)).to.deep.equal([]);
    expect(await stats()).to.deep.equal(before);
  });
});
