import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { ArchiveStatus } from '../../../services/cli/status/archiveStatus.js';
import { createElasticsearch } from '../../../shared/platform/createElasticsearch.js';
import {
  ensureSearchIndex,
  searchAlias,
  searchIndexName,
} from '../../../shared/store/searchIndex.js';
import { beginRestore, endRecords, endRestore } from '../../../shared/store/restore.js';
import { failedMark, failureOf } from '../../../shared/store/quarantine.js';
import { enterRebuild } from '../../../shared/store/searchGenerations.js';
import { stateOf } from '../../../shared/store/state.js';
import { readSearchFacts } from '../../../shared/store/searchFacts.js';
import { readsOfEach } from '../../support/readsOfEach.js';
import { aThreadItem } from '../../support/apiViews.js';
import { aChannel, aServer, aThread } from '../../support/factories.js';
import { runOnHost } from '../../support/runOnHost.js';
import { rejectionOf } from '../../support/temporaryFolder.js';
import { suiteStores } from '../../support/suiteStores.js';

describe('the status of an archive', () => {
  const stores = suiteStores('emptied', { otherProcesses: true });

  const status = async (): Promise<ArchiveStatus> => {
    const env = { MONGODB_URL: stores.mongodbUrl };
    const { code, stdout, stderr } = await runOnHost(env, ['status', '--json']);
    expect(code, stderr).to.equal(0);
    return JSON.parse(stdout) as ArchiveStatus;
  };

  it('is empty where nothing was ever stored', async () => {
    expect(await status()).to.include({ empty: true, threads: 0 });
  });

  it('is not empty where everything was deleted', async () => {
    const { servers, threads } = stores.mongo.collections;
    await servers.insertOne(aServer({ deleted: true }));
    expect(await status()).to.include({ empty: false, threads: 0 });
    await servers.deleteMany({});
    await threads.insertOne(aThread({ deleted: true }));
    expect(await status()).to.include({ empty: false, threads: 0 });
  });

  it('tells how far a restore is, and what to do where it was cut off', async () => {
    const { collections } = stores.mongo;
    const told = async () => (await status()).restoreProblem;
    expect(await told()).to.equal(null);
    const restore = await beginRestore(collections);
    expect(await told()).to.match(/not written all records: .* drop the database and begin again$/);
    await endRecords(collections);
    expect(await told()).to.match(/not built all views\. .* run forum-archive reindex --views$/);
    await endRestore(collections, restore!);
    expect(await told()).to.equal(null);
  });

  it('counts servers and channels that are shown', async () => {
    const { servers, channels } = stores.mongo.collections;
    const [shown, gone] = [aServer(), aServer({ deleted: true })];
    await servers.insertMany([shown, gone]);
    const serverId = shown._id;
    await channels.insertMany([
      aChannel({ serverId }),
      aChannel({ serverId }),
      aChannel({ serverId, deleted: true }),
      aChannel({ serverId, withheldAt: new Date() }),
      aChannel({ serverId: gone._id, deleted: true }),
    ]);
    expect(await status()).to.include({ servers: 1, channels: 2 });
  });

  it('tells why a store cannot be reached', async () => {
    const env = { MONGODB_URL: 'mongodb://127.0.0.1:1/x', REDIS_URL: 'redis://127.0.0.1:1' };
    const { code, stdout, stderr } = await runOnHost(env, ['status', '--json']);
    expect(code, stderr).to.equal(1);
    const { mongodb, redis } = (JSON.parse(stdout) as ArchiveStatus).stores;
    for (const state of [mongodb, redis])
      expect(state).to.equal('cannot be reached: connect ECONNREFUSED 127.0.0.1:1');
  });

  it('tells that another kind of server answers in place of Elasticsearch', async () => {
    const server = createServer((_request, response) => response.writeHead(404).end('Not here'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      const ELASTICSEARCH_URL = `http://127.0.0.1:${port}`;
      const env = { MONGODB_URL: stores.mongodbUrl, ELASTICSEARCH_URL };
      const { code, stdout } = await runOnHost(env, ['status', '--json']);
      expect(code).to.equal(1);
      const { stores: states, searchProblem } = JSON.parse(stdout) as ArchiveStatus;
      expect(states).to.deep.include({ mongodb: 'ok', redis: 'ok' });
      expect(states.elasticsearch).to.match(/^cannot be reached: .*it is no Elasticsearch$/);
      expect(searchProblem).to.equal(null);
      const client = createElasticsearch({ ELASTICSEARCH_URL }, { timeoutMs: 5_000 });
      expect(await rejectionOf(readSearchFacts(client, stores.mongo.namespace))).to.not.equal('');
      await client.close();
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('is not empty where a file waits to be imported', async () => {
    const file = { importId: 'x', name: 'a.json', bytes: 1, queuedAt: new Date() };
    await stores.mongo.collections.importFiles.insertOne({ ...file, _id: '1', state: 'queued' });
    expect(await status()).to.include({ empty: false, threads: 0, waitingFiles: 1 });
    await stores.mongo.collections.importFiles.updateOne({}, { $set: { state: 'imported' } });
    expect(await status()).to.include({ waitingFiles: 0 });
  });

  it('tells that search has lost documents of listed threads, and what to do', async () => {
    const { elasticsearch, mongo } = stores;
    const problem = async () => (await status()).searchProblem;
    const told = /run forum-archive reindex --search$/;
    expect(await problem()).to.equal(null);
    await mongo.collections.threadItems.insertOne(aThreadItem({ threadId: '1' }));
    expect(await problem()).to.match(told);
    await elasticsearch.indices.delete({ index: searchIndexName(mongo.namespace, 1) });
    expect(await problem()).to.match(/^It is lost: a running indexer builds it again/);
    await ensureSearchIndex(elasticsearch, mongo.namespace);
    expect(await problem()).to.match(told);
    // The document is counted at once, although it was written a moment ago.
    const document = { kind: 'thread' };
    await elasticsearch.index({ index: searchAlias(mongo.namespace), id: '1', document });
    expect(await problem()).to.equal(null);
  });

  it('counts threads and messages without reading every thread', async () => {
    const { threadItems } = stores.mongo.collections;
    await threadItems.deleteMany({});
    const items = Array.from({ length: 300 }, (_, n) =>
      aThreadItem({ threadId: `${n}`, serverId: `1${n % 3}`, messageCount: 2 }),
    );
    await threadItems.insertMany(items);
    const read = await readsOfEach(stores.mongo, threadItems, async () => {
      expect(await status()).to.include({ threads: 300, messages: 600 });
    });
    expect(Math.max(...read)).to.be.below(2);
    await threadItems.deleteMany({});
  });

  it('tells that no node has the data of the search index', async () => {
    const { elasticsearch, mongo } = stores;
    const index = searchIndexName(mongo.namespace, 1);
    await mongo.collections.threadItems.insertOne(aThreadItem({ threadId: '1' }));
    await elasticsearch.indices.delete({ index });
    await elasticsearch.indices.create({
      index,
      settings: { 'index.routing.allocation.require._name': 'none has this name' },
      aliases: { [searchAlias(mongo.namespace)]: {} },
      wait_for_active_shards: 0,
    });
    const told = await status();
    expect(told.searchDocuments).to.equal(null);
    expect(told.searchProblem).to.match(/^Elasticsearch cannot read it, .*allocation\/explain/);
    await elasticsearch.indices.delete({ index });
    await ensureSearchIndex(elasticsearch, mongo.namespace);
  });

  it('tells that the search index takes no writes, why, and what to do', async () => {
    const { elasticsearch, mongo } = stores;
    const index = searchIndexName(mongo.namespace, 1);
    const set = (settings: Record<string, true | null>) =>
      elasticsearch.indices.putSettings({ index, settings });
    await set({ 'index.blocks.write': true });
    expect((await status()).searchProblem).to.match(/^It takes no writes .*index\.blocks\.write/);
    await set({ 'index.blocks.write': null, 'index.blocks.read_only_allow_delete': true });
    expect((await status()).searchProblem).to.match(/^It takes no writes .*the disk .*free some/);
    await set({ 'index.blocks.read_only_allow_delete': null });
    expect((await status()).searchProblem).to.equal(null);
  });

  it('tells people what holds work up, and where to read why', async () => {
    const { work, state } = stores.mongo.collections;
    const lines = async (): Promise<string[]> =>
      (await runOnHost({ MONGODB_URL: stores.mongodbUrl }, ['status'])).stdout.split('\n');
    const idle = await lines();
    expect(idle).to.include('Quarantined:      0');
    expect(idle).to.include('Indexers:         0: work waits until one is started');
    expect(idle.join()).to.not.include('Search rebuild');
    const told = { kind: 'file', subject: '1', threadId: null, revision: 0, count: 5 } as const;
    const failure = failureOf(undefined, { ...told, reason: 'It is too large' });
    await work.insertOne(failedMark('file', '1', failure));
    expect(await lines()).to.include('Quarantined:      1 (GET /admin/quarantine tells why)');
    const search = stateOf(state, 'search');
    const { id } = await enterRebuild({ state });
    const { rebuild } = (await search.findOne({ 'rebuild.id': id }))!;
    const at = rebuild!.beatAt.toISOString();
    expect(await lines()).to.include(`Search rebuild:   queued since ${at}`);
    const half = { 'rebuild.state': 'running', 'rebuild.threads': 50, 'rebuild.totalThreads': 100 };
    await search.updateOne({ _id: 'search' }, { $set: half as object });
    expect(await lines()).to.include(`Search rebuild:   45%, last alive at ${at}`);
    const ended = { 'rebuild.state': 'failed', 'rebuild.error': 'No space' };
    await search.updateOne({ _id: 'search' }, { $set: ended as object });
    expect(await lines()).to.include('Search rebuild:   failed: No space');
    await search.updateOne({ _id: 'search' }, { $set: { 'rebuild.state': 'done' } as object });
    expect((await lines()).join()).to.not.include('Search rebuild');
  });
});
