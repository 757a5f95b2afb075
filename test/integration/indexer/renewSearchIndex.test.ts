import { expect } from 'chai';
import { isTransient } from '../../../services/indexer/permanentErrors.js';
import { findSimilar } from '../../../services/indexer/similar/findSimilar.js';
import { renewSearchIndex } from '../../../services/indexer/search/renewSearchIndex.js';
import { reindexSearch } from '../../../services/indexer/search/reindexSearch.js';
import { searchAlias } from '../../../shared/store/searchIndex.js';
import { stateOf } from '../../../shared/store/state.js';
import { findRebuild } from '../../../shared/store/searchGenerations.js';
import { AppError } from '../../../shared/contract/errors.js';
import { doAll } from '../../support/indexerDeps.js';
import { verifyNow } from '../../support/verifiedArchive.js';
import { indexerSuite } from '../../support/suiteStores.js';
import { rebuildArchive, type RebuildArchive } from '../../support/rebuildArchive.js';
import { rejectionOf } from '../../support/temporaryFolder.js';

describe('renewSearchIndex', () => {
  const { stores, deps } = indexerSuite('renewed');
  let archive: RebuildArchive;
  let asked: string[];
  let refiled: string[];

  beforeEach(() => {
    archive = rebuildArchive(deps);
    asked = [];
    refiled = [];
  });

  const exists = () =>
    stores.elasticsearch.indices.existsAlias({ name: searchAlias(deps.namespace) });
  const lose = () =>
    stores.elasticsearch.indices.delete({ index: `${searchAlias(deps.namespace)}-000001` });
  const renew = (add?: () => Promise<string>) =>
    renewSearchIndex({
      ...deps,
      producer: {
        add: (_name, payload) => {
          asked.push((payload as { rebuildId: string }).rebuildId);
          return add?.() ?? Promise.resolve('job-1');
        },
        refile: (_name, payload) => {
          refiled.push((payload as { rebuildId: string }).rebuildId);
          return Promise.resolve('job-1');
        },
      },
    });

  it('creates the index of an empty archive', async () => {
    await lose();
    await renew();
    expect(await exists()).to.equal(true);
    expect(asked).to.deep.equal([]);
  });

  it('does not change an existing index', async () => {
    await archive.writeThreads(1);
    await renew();
    expect(asked).to.deep.equal([]);
  });

  it('requests a lost index once, however many processes notice the loss', async () => {
    const [thread] = await archive.writeThreads(3);
    await lose();
    expect(await Promise.all([renew(), renew()])).to.deep.equal([false, false]);
    expect(asked).to.have.length(1);
    // Its job may be lost. Whoever sees the rebuild waiting files it again, unless it waits or runs.
    expect(await renew()).to.equal(false);
    expect(refiled.slice(-1)).to.deep.equal(asked);
    // Documents that are written before the rebuild begins wait, and are not sent in vain.
    const { threadId, messageIds } = thread!;
    const waiting = await archive.write(threadId, messageIds, 'meanwhile').catch(String);
    expect(waiting).to.match(/^SearchUnavailable/);

    const [rebuildId = ''] = asked;
    expect(await reindexSearch(deps, { rebuildId })).to.include({ state: 'done', threads: 3 });
    expect(await renew()).to.equal(true);
    await doAll(deps);
    await stores.refreshSearch();
    expect(await archive.search('anchor of')).to.include({ threadCount: 3, messageCount: 6 });
    expect(await archive.search('meanwhile')).to.include({ messageCount: 2 });
    expect(await verifyNow(deps)).to.deep.include({ differences: [], clean: true });
    const search = await stateOf(deps.collections.state, 'search').findOne({ _id: 'search' });
    expect(search?.targets).to.deep.equal([]);
    expect(search?.retained).to.equal(undefined);
  });

  it('creates none while the archive holds threads; searches answer that they are unavailable', async () => {
    await archive.writeThreads(1);
    await lose();
    const refused = renew(() => Promise.reject(new Error('Redis is away')));
    expect(await rejectionOf(refused)).to.equal('Redis is away');
    // Another rebuild is asked for.
    await renew();
    expect(asked).to.have.length(2);
    expect(await findRebuild(deps.collections, asked[1]!)).to.include({ state: 'queued' });
    expect(await exists()).to.equal(false);
    const failed = await archive.search('anchor of').catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(AppError).with.property('code', 'UNAVAILABLE');
    const similar = await findSimilar(
      deps,
      await deps.collections.threadItems.find().toArray(),
    ).catch((error: unknown) => error);
    expect(isTransient(similar)).to.equal(true);
  });
});
