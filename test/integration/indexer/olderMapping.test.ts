import type { estypes } from '@elastic/elasticsearch';
import { expect } from 'chai';
import { searchArchive } from '../../support/searchArchive.js';
import { suggestTitles } from '../../../services/api/search/suggestTitles.js';
import { Turns } from '../../../services/api/turns.js';
import { prepareSearch } from '../../../services/indexer/prepareSearch.js';
import { SearchUnavailable } from '../../../services/indexer/stores/sendBulk.js';
import { AppError } from '../../../shared/contract/errors.js';
import type { SearchParams } from '../../../shared/contract/search.js';
import {
  documentId,
  readSearchIndex,
  searchAlias,
  searchIndexName,
  writesAlias,
  type MessageDocument,
} from '../../../shared/store/searchIndex.js';
import { searchIndexDefinition } from '../../../shared/store/searchMapping.js';
import { stateOf } from '../../../shared/store/state.js';
import { NEVER } from '../../../shared/store/work.js';
import { aSourceMessage, aSourceThread, anAuthor } from '../../support/factories.js';
import { asFirst, createOlderIndex, OLDER } from '../../support/olderSearchIndexes.js';
import { until } from '../../support/apiServer.js';
import { build, doAll, record } from '../../support/indexerDeps.js';
import { aFile } from '../../support/mirrorRig.js';
import { rebuildArchive, type RebuildArchive } from '../../support/rebuildArchive.js';
import { aThread, searchParams, storeDocuments, UNLIMITED } from '../../support/searchDocuments.js';
import { indexerSuite } from '../../support/suiteStores.js';

const QUESTIONS: [q: string, more?: Partial<SearchParams>][] = [
  ['lantern'],
  ['lantern', { type: 'threads' }],
  ['lantern', { type: 'messages' }],
  ['"two ropes"'],
  ['how do i moor with a lantern'],
  ['lantren', { minScore: 0.1 }],
];

/** None of these indexes is lost, so no rebuild must be asked for. */
const refuse = () => Promise.reject(new Error('Nothing is lost here'));
const NO_QUEUE = { add: refuse, refile: refuse };

describe('a search index of the first mapping', () => {
  const { stores, deps } = indexerSuite('renewed');
  let archive: RebuildArchive;
  let index: string;

  beforeEach(async () => {
    archive = rebuildArchive(deps);
    index = await createOlderIndex(stores.elasticsearch, deps.namespace, 1);
  });

  const prepare = () => prepareSearch({ ...deps, producer: NO_QUEUE });
  const ask = (q: string, more: Partial<SearchParams> = {}) =>
    searchArchive({ ...deps, turns: new Turns() }, searchParams(q, more), UNLIMITED);
  const expectRefused = async (name: string, answer: Promise<unknown>) => {
    const problem = await answer.then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(problem, name).to.be.instanceOf(AppError);
    const { status, message, headers, cause } = problem as AppError;
    expect(status, name).to.equal(503);
    expect(message, name).to.equal('Search is not available until its index has been rebuilt');
    expect(headers, name).to.deep.equal({ 'Retry-After': '60' });
    expect(String(cause), name).to.include('run forum-archive reindex --search');
  };
  const foundBy = async (query: NonNullable<estypes.QueryDslQueryContainer>): Promise<number> => {
    await stores.elasticsearch.indices.refresh({ index });
    return (await stores.elasticsearch.count({ index, query })).count;
  };

  for (const isPrepared of [false, true]) {
    it(`is searched correctly or not at all ${isPrepared ? 'after' : 'before'} the indexer's start`, async () => {
      const documents = aThread({
        title: 'Mooring at night',
        messages: ['A lantern on the jetty helps', 'Use two ropes.'],
      });
      await storeDocuments(stores.elasticsearch, deps.namespace, documents.map(asFirst));
      if (isPrepared) await prepare();
      for (const [q, more] of QUESTIONS) await expectRefused(q, ask(q, more));
      await expectRefused('completion', suggestTitles(deps, { q: 'moor' }, UNLIMITED));
      const said = { type: 'messages' } as const;
      expect(await ask('"two ropes"', said)).to.include({ threadCount: 0, messageCount: 1 });
      expect(await ask('"two lanterns"', said)).to.include({ total: 0 });
    });
  }

  it('accepts writes, finds them as before, and is rebuilt', async () => {
    await prepare();
    const [thread] = await archive.writeThreads(3);
    expect(await foundBy({ match: { conversation: 'first' } })).to.equal(3);
    expect(await foundBy({ match: { 'conversation.stem': 'firsts' } })).to.equal(3);
    expect(await foundBy({ match_phrase: { content: 'first of' } })).to.equal(6);
    expect(await foundBy({ match: { 'title.stem': 'anchors' } })).to.equal(9);

    expect(await archive.rebuild()).to.include({ state: 'done', threads: 3, documents: 9 });
    await stores.refreshSearch();
    expect(await ask('anchor of')).to.include({ threadCount: 3, messageCount: 6 });
    expect(await ask('anchors at xylophone')).to.nested.include({ 'related.threads.length': 3 });
    const { suggestions } = await suggestTitles(deps, { q: 'anch' }, UNLIMITED);
    expect(suggestions).to.have.length(3);

    await archive.write(thread!.threadId, thread!.messageIds, 'later');
    expect(await foundBy({ match: { conversation: 'later' } })).to.equal(1);
    await stores.refreshSearch();
    expect(await ask('later')).to.include({ threadCount: 1, messageCount: 2 });
  });

  it('gets similar threads once it is rebuilt', async () => {
    const { work, similar } = deps.collections;
    await prepare();
    const threads = await archive.writeThreads(3);
    const problem = await doAll(deps).catch((error: unknown) => error);
    expect(problem).to.be.instanceOf(SearchUnavailable);
    expect(String(problem)).to.include('run forum-archive reindex --search');
    expect(await work.countDocuments({ kind: 'similar', tries: { $exists: false } })).to.equal(3);
    expect(await work.countDocuments({ due: NEVER })).to.equal(0);

    await archive.rebuild();
    await stores.refreshSearch();
    await doAll(deps);
    const found = await similar.find({}, { sort: { _id: 1 } }).toArray();
    expect(found.map(({ _id }) => _id)).to.have.members(threads.map(({ threadId }) => threadId));
    expect(found.map(({ similarTo }) => similarTo.length)).to.deep.equal([2, 2, 2]);
  });
});

describe('a search index of the second mapping', () => {
  const { stores, deps } = indexerSuite('renewed');
  const digest = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

  it('is searched and written as before, and rebuilt', async () => {
    const { write, rebuild, search } = rebuildArchive(deps);
    await createOlderIndex(stores.elasticsearch, deps.namespace, 2);
    await prepareSearch({ ...deps, producer: NO_QUEUE });
    await write('1', ['1'], digest);
    await stores.refreshSearch();
    expect(await search('9f86d')).to.include({ threadCount: 1, messageCount: 1 });
    expect(await search(digest)).to.include({ threadCount: 1, messageCount: 1 });
    const { suggestions } = await suggestTitles(deps, { q: 'anch' }, UNLIMITED);
    expect(suggestions).to.have.length(1);
    await doAll(deps);

    await rebuild();
    await stores.refreshSearch();
    expect(await search('9f86d')).to.include({ total: 0 });
    expect(await search(digest)).to.include({ threadCount: 1, messageCount: 1 });
  });
});

describe('a search index of an older mapping', () => {
  const { stores, deps } = indexerSuite('renewed');

  for (const version of [1, 2, 3] as const) {
    it(`has every field of today's documents after the indexer's start: mapping ${version}`, async () => {
      const { elasticsearch } = stores;
      const index = await createOlderIndex(elasticsearch, deps.namespace, version);
      await prepareSearch({ ...deps, producer: NO_QUEUE });
      const { [index]: found } = await elasticsearch.indices.getMapping({ index });
      const present = new Set(Object.keys(found?.mappings.properties ?? {}));
      const wanted = Object.keys(searchIndexDefinition.mappings.properties);
      const missing = wanted.filter((name) => !present.has(name));
      expect(missing, 'to be added by prepareSearch.ts').to.deep.equal([]);
    });
  }
});

describe('a search index that is never refreshed', () => {
  const { stores, deps } = indexerSuite('renewed');

  const settings = { refresh_interval: -1 } as const;
  /** The settings of each index of the archive that are not Elasticsearch's own. */
  const refreshIntervals = async () => {
    const found = await stores.elasticsearch.indices.getSettings({
      index: `${searchAlias(deps.namespace)}-*`,
    });
    return Object.values(found).map(({ settings: { index } = {} }) => index?.refresh_interval);
  };

  it('is refreshed from the indexer’s start on', async () => {
    const { write, search } = rebuildArchive(deps);
    const index = searchAlias(deps.namespace);
    await stores.elasticsearch.indices.putSettings({ index, settings });
    await write('1', ['1'], 'first');
    expect(await search('anchor')).to.include({ total: 0 });
    await prepareSearch({ ...deps, producer: NO_QUEUE });
    await until(async () => (await search('anchor')).threadCount === 1);
  });

  for (const state of ['is searched', 'was lost'] as const) {
    it(`is refreshed from then on where a rebuild fills it while another ${state}`, async () => {
      const { elasticsearch } = stores;
      await rebuildArchive(deps).write('1', ['1'], 'first');
      const { index: live } = await readSearchIndex(elasticsearch, deps.namespace);
      const filled = searchIndexName(deps.namespace, 2);
      const { settings: others, mappings } = searchIndexDefinition;
      const definition = { mappings, settings: { ...others, ...settings } };
      await elasticsearch.indices.create({ index: filled, ...definition });
      if (state === 'was lost') await elasticsearch.indices.delete({ index: live });
      const producer = { add: () => Promise.resolve(''), refile: () => Promise.resolve('') };
      await prepareSearch({ ...deps, producer });
      expect(await refreshIntervals()).not.to.include('-1');
    });
  }
});

describe('a search index that keeps no markdown', () => {
  const { stores, deps } = indexerSuite('renewed');

  it('stores it after the indexer’s start, and so does an index that a rebuild was filling', async () => {
    const { elasticsearch } = stores;
    const live = await createOlderIndex(elasticsearch, deps.namespace, 3);
    await elasticsearch.indices.putAlias({ index: live, name: writesAlias(live) });
    const filled = searchIndexName(deps.namespace, 2);
    const aliases = { [writesAlias(filled)]: {} };
    await elasticsearch.indices.create({ index: filled, ...OLDER[3], aliases });
    const search = stateOf(deps.collections.state, 'search');
    const targets = { $set: { targets: [live, filled] } };
    await search.updateOne({ _id: 'search' }, targets, { upsert: true });
    await prepareSearch({ ...deps, producer: NO_QUEUE });

    const source = aSourceThread();
    const ada = anAuthor('ada');
    // The text has more bytes than a searchable keyword may have, as each letter has three.
    const markdown = `Ask <@${ada.id}> ${'ℵ'.repeat(1_500)}`;
    const description = 'ℵ'.repeat(10_000);
    const said = { threadId: source.thread._id, mentions: [ada], content: markdown };
    const attachments = [aFile('https://cdn.example', '1', { description })];
    const message = aSourceMessage({ ...said, attachments });
    await record(deps, source, [message]);
    await build(deps, source.thread._id);
    for (const index of [live, filled]) {
      const id = documentId('message', message._id);
      const { _source } = await elasticsearch.get<MessageDocument>({ index, id });
      expect(_source?.content, index).to.match(/^Ask @Ada ℵ/);
      expect(_source?.markdown, index).to.equal(`${markdown}\n${description}`);
    }
  });
});
