import { expect } from 'chai';
import type { Collection } from 'mongodb';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RENDERER_VERSION } from '../../../services/indexer/content/renderContent.js';
import type { SearchResponse } from '../../../shared/contract/search.js';
import type { ServerStats } from '../../../shared/contract/servers.js';
import { searchAlias } from '../../../shared/store/searchIndex.js';
import { THREAD_SORTS, type ThreadDetail } from '../../../shared/contract/threads.js';
import type { UserProfile } from '../../../shared/contract/users.js';
import { startArchive, type TestArchive } from '../../support/archive.js';
import type { RawExport } from '../../support/exportFiles.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';
import { everyAnswer, walkThreads } from '../../support/wholeArchive.js';

const SAMPLE = 'sample';
/** Types that count as messages, written a second time: names and numbers of the export format. */
const COUNTED = ['Default', 'Reply', '20', '21', '23'];

async function readSample(): Promise<RawExport[]> {
  const names = await readdir(SAMPLE, { recursive: true });
  const files = names.filter((name) => name.endsWith('.json'));
  return Promise.all(
    files.map(async (name) => JSON.parse(await readFile(join(SAMPLE, name), 'utf8')) as RawExport),
  );
}

describe('the sample archive', () => {
  let archive: TestArchive;
  let files: RawExport[];

  before(async () => {
    archive = await startArchive();
    files = await readSample();
    const result = await archive.cli('import', SAMPLE);
    expect(result.code, result.stderr).to.equal(0);
  });
  after(() => archive.close());

  const counted = (file: RawExport) =>
    file.messages.filter(({ type }) => COUNTED.includes(String(type)));

  it('holds every thread of the files with every counted message, in order', async () => {
    expect(files.length).to.be.at.least(60);
    for (const file of files) {
      const detail = await archive.json<ThreadDetail>(`/api/threads/${file.channel.id}`);
      const ids = counted(file).map(({ id }) => id);
      expect(detail.messages.map(({ id }) => id)).to.deep.equal(
        ids.sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)),
      );
      expect(detail.messageCount).to.equal(ids.length);
    }
  });

  it('has the entity tag that README.md uses to ask whether a thread has changed', async () => {
    const readme = await readFile('README.md', 'utf8');
    const [, tag = '', path = ''] =
      /If-None-Match: ("[^"]+")' 'http:\/\/[^/]+(\/api\/threads\/\d+)'/.exec(readme) ?? [];
    // As curl does, it asks for the identity encoding. Another encoding has another tag.
    const headers = { 'If-None-Match': tag, 'Accept-Encoding': 'identity' };
    expect((await fetch(archive.api.url + path, { headers })).status).to.equal(304);
  });

  it('has views that change with RENDERER_VERSION alone', async () => {
    const { stores } = archive.api;
    const { bodies, threadItems, contributions, members, ranks } = stores.mongo.collections;
    const read = <T extends { _id: string }>(rows: Pick<Collection<T>, 'find'>) =>
      rows.find().sort({ _id: 1 }).toArray();
    const tags = (await read(bodies)).filter(({ _id }) => !_id.startsWith('similar/'));
    const documents: string[] = [];
    const index = searchAlias(stores.mongo.namespace);
    for await (const one of stores.elasticsearch.helpers.scrollDocuments<object>({ index }))
      documents.push(JSON.stringify(one));
    const views = [
      tags.map(({ _id, etag }) => [_id, etag]),
      (await read(threadItems)).map(({ revision: _, ...item }) => item),
      (await read(contributions)).map(({ revision: _, ...row }) => row),
      // The other boards change from day to day.
      (await read(members)).map(({ version: _, periodDay: _day, ...member }) => member),
      (await read(ranks))
        .filter(({ boards }) => boards.every((board) => /\/all\/\w+$/.test(board)))
        .map(({ version: _, ...line }) => line),
      documents.sort(),
    ];
    const digest = createHash('sha256').update(JSON.stringify(views)).digest('hex').slice(0, 16);
    const hint =
      'Raise RENDERER_VERSION where stored views are made otherwise, not where the sample has changed; then write both here';
    expect({ version: RENDERER_VERSION, digest }, hint).to.deep.equal({
      version: 13,
      digest: '38a2f0fc5e1942c9',
    });
  });

  it('has the same counts as the files', async () => {
    const serverId = files[0]!.guild.id;
    const messages = files.flatMap(counted);
    const people = new Map(messages.map(({ author }) => [author.id, author.isBot ?? false]));
    const bots = [...people.values()].filter(Boolean).length;
    const byBots = messages.filter(({ author }) => author.isBot).length;
    const { stats, topContributors } = await archive.json<ServerStats>(
      `/api/servers/${serverId}/stats`,
    );
    expect(stats.threads.total).to.equal(files.length);
    expect(stats.messages).to.include({
      total: messages.length,
      byBots,
      byHumans: messages.length - byBots,
    });
    expect(stats.participants).to.deep.equal({
      unique: people.size,
      humans: people.size - bots,
      bots,
    });
    const reactions = messages.flatMap((message) => message.reactions ?? []);
    expect(stats.reactions).to.deep.equal({
      total: reactions.reduce((sum, { count }) => sum + count, 0),
      uniqueEmojis: new Set(reactions.map(({ emoji }) => emoji.id || emoji.name)).size,
    });
    const top = topContributors[0]!;
    const theirs = messages.filter(({ author }) => author.id === top.userId);
    expect(top.messageCount).to.equal(theirs.length);
    const times = theirs.map(({ timestamp }) => Date.parse(timestamp));
    expect(await archive.json<UserProfile>(`/api/users/${top.userId}`)).to.include({
      messageCount: theirs.length,
      firstSeenAt: new Date(Math.min(...times)).toISOString(),
      lastSeenAt: new Date(Math.max(...times)).toISOString(),
    });
  });

  it('pages through every sort with any limit, with each thread once', async () => {
    const all = new Set(
      files.filter((file) => counted(file).length > 0).map(({ channel }) => channel.id),
    );
    for (const sort of THREAD_SORTS) {
      const [seven, hundred] = [
        await walkThreads(archive, `sort=${sort}`, 7),
        await walkThreads(archive, `sort=${sort}`, 100),
      ];
      expect(seven).to.deep.equal(hundred);
      expect(new Set(seven).size).to.equal(seven.length);
      if (sort !== 'unanswered') expect(new Set(seven)).to.deep.equal(all);
    }
  });

  it('finds a thread by its title', async () => {
    const found = await archive.json<SearchResponse>('/api/search?q=maxmemory-policy+noeviction');
    expect(found.total).to.be.greaterThan(0);
  });

  it('changes no revision and no answer when everything is imported again', async () => {
    const revisions = () =>
      archive.api.stores.mongo.collections.threadItems
        .find({}, { projection: { revision: 1 } })
        .sort({ _id: 1 })
        .toArray();
    const [before, answers] = [await revisions(), await everyAnswer(archive)];
    const result = await archive.cli('import', SAMPLE, '--json');
    expect(JSON.parse(result.stdout)).to.include({ imported: 0, unchanged: files.length });
    expect(await revisions()).to.deep.equal(before);
    expect(await everyAnswer(archive)).to.deep.equal(answers);
  });

  it('gives the same answers after export and import into an empty archive', async () => {
    const copy = await startArchive();
    try {
      await withTemporaryFolder(async (folder) => {
        expect((await archive.cli('export', join(folder, 'out'))).code).to.equal(0);
        const result = await copy.cli('import', join(folder, 'out'));
        expect(result.code, result.stderr + result.stdout).to.equal(0);
      });
      const [original, restored] = [await everyAnswer(archive), await everyAnswer(copy)];
      expect([...restored.keys()]).to.deep.equal([...original.keys()]);
      for (const [path, answer] of original) expect(restored.get(path), path).to.deep.equal(answer);
      for (const q of ['mongodb', '"loaded gun in a drawer"', 'C++', 'elasticsearch backup']) {
        const path = `/api/search?q=${encodeURIComponent(q)}&limit=100`;
        const [here, there] = [await found(archive, path), await found(copy, path)];
        expect([...there.keys()]).to.have.members([...here.keys()]);
        // For a while, the statistics of words count replaced documents, of which the copy has fewer.
        for (const [id, score] of here)
          expect(there.get(id), `${q}: ${id}`).to.be.closeTo(score, 0.01);
      }
      expect(copy.problems).to.deep.equal([]);
    } finally {
      await copy.close();
    }
  });

  it('logs no warning', () => {
    expect(archive.problems).to.deep.equal([]);
  });
});

/** The score of everything that a search finds, by kind and id. */
async function found(archive: TestArchive, path: string): Promise<Map<string, number>> {
  const { results } = await archive.json<SearchResponse>(path);
  return new Map([
    ...results.threads.map(({ id, score }) => [`thread ${id}`, score] as const),
    ...results.messages.map(({ id, score }) => [`message ${id}`, score] as const),
  ]);
}
