import { expect } from 'chai';
import { renewSearchIndex } from '../../../services/indexer/search/renewSearchIndex.js';
import { reindexSearch } from '../../../services/indexer/search/reindexSearch.js';
import { searchAlias } from '../../../shared/store/searchIndex.js';
import { findRebuild } from '../../../shared/store/searchGenerations.js';
import { indexerSuite } from '../../support/suiteStores.js';
import { rebuildArchive, type RebuildArchive } from '../../support/rebuildArchive.js';
import { rejectionOf } from '../../support/temporaryFolder.js';

describe('renewSearchIndex', () => {
  const { stores, deps } = indexerSuite('reopened');
  let archive: RebuildArchive;
  let asked: string[];

  beforeEach(() => {
    archive = rebuildArchive(deps);
    asked = [];
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
      },
    });

  it('makes the index of an archive that holds nothing', async () => {
    await lose();
    await renew();
    expect(await exists()).to.equal(true);
    expect(asked).to.deep.equal([]);
  });

  it('leaves an index as it is', async () => {
    await archive.writeThreads(1);
    await renew();
    expect(asked).to.deep.equal([]);
  });

  it('has a lost index built again, once however many processes see that', async () => {
    await archive.writeThreads(3);
    await lose();
    await Promise.all([renew(), renew()]);
    expect(asked).to.have.length(1);
    expect(await exists()).to.equal(true);
    const [rebuildId = ''] = asked;
    expect(await reindexSearch(deps, { rebuildId })).to.include({ state: 'done', threads: 3 });
    await stores.refreshSearch();
    expect(await archive.search('anchor of')).to.include({ threadCount: 3, messageCount: 6 });
  });

  it('makes no index before the rebuild is asked for: the loss is seen again', async () => {
    await archive.writeThreads(1);
    await lose();
    const refused = renew(() => Promise.reject(new Error('Redis is away')));
    expect(await rejectionOf(refused)).to.equal('Redis is away');
    expect(await exists()).to.equal(false);
    await renew();
    expect(asked).to.have.length(2);
    expect(await findRebuild(deps.collections, asked[1]!)).to.include({ state: 'queued' });
    expect(await exists()).to.equal(true);
  });
});
