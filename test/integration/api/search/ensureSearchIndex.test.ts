import { expect } from 'chai';
import {
  searchProblem,
  ensureSearchIndex,
  searchAlias,
  searchIndexName,
} from '../../../../shared/store/searchIndex.js';
import {
  aThread,
  createSearchFixture,
  type SearchFixture,
} from '../../../support/searchDocuments.js';

describe('ensureSearchIndex', () => {
  let fixture: SearchFixture;

  beforeEach(async () => {
    fixture = await createSearchFixture();
  });
  afterEach(() => fixture.remove());

  const aliases = async () =>
    Object.keys(
      await fixture.elasticsearch.indices.getAlias({ name: searchAlias(fixture.namespace) }),
    );

  it('creates one index, however many ask at once', async () => {
    const index = searchIndexName(fixture.namespace, 1);
    await fixture.elasticsearch.indices.delete({ index });
    await Promise.all(
      Array.from({ length: 6 }, () => ensureSearchIndex(fixture.elasticsearch, fixture.namespace)),
    );
    expect(await aliases()).to.deep.equal([index]);
  });

  it('does not change what exists', async () => {
    await fixture.store(aThread({ title: 'Kept' }));
    await ensureSearchIndex(fixture.elasticsearch, fixture.namespace);
    expect(await fixture.search('kept')).to.include({ threadCount: 1 });
  });

  it('accepts an index that was made for another version, and reports it', async () => {
    const { elasticsearch, namespace } = fixture;
    expect(await searchProblem(elasticsearch, namespace)).to.equal(null);
    const index = searchIndexName(namespace, 1);
    await elasticsearch.indices.putMapping({ index, _meta: { mappingVersion: 0 } });
    await ensureSearchIndex(elasticsearch, namespace);
    expect(await searchProblem(elasticsearch, namespace)).to.include('reindex --search');
  });

  it('gives an index that lost its alias the alias back', async () => {
    const index = searchIndexName(fixture.namespace, 1);
    const name = searchAlias(fixture.namespace);
    await fixture.elasticsearch.indices.deleteAlias({ index, name });
    await ensureSearchIndex(fixture.elasticsearch, fixture.namespace);
    expect(await aliases()).to.deep.equal([index]);
  });

  it('refuses a document with a field that it does not know', async () => {
    const [thread] = aThread({ title: 'Odd' });
    const odd = { ...thread, surprise: 1 };
    const problem = await fixture.store([odd]).then(
      () => '',
      (error: unknown) => String(error),
    );
    expect(problem).to.include('strict_dynamic_mapping_exception');
  });
});
