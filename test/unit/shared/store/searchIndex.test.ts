import { expect } from 'chai';
import {
  describeMapping,
  generationOf,
  searchIndexName,
} from '../../../../shared/store/searchIndex.js';
import { rebuildProgress } from '../../../../shared/store/searchGenerations.js';
import type { SearchRebuild } from '../../../../shared/store/state.js';
import { MAPPING_VERSION } from '../../../../shared/store/searchMapping.js';

describe('describeMapping', () => {
  it('says nothing about the current mapping, and says what to do about any other', () => {
    expect(describeMapping(MAPPING_VERSION)).to.equal(undefined);
    expect(describeMapping(MAPPING_VERSION - 1)).to.include('run forum-archive reindex --search');
    expect(describeMapping(MAPPING_VERSION + 1)).to.include('newer than this version');
  });
});

describe('generationOf', () => {
  it('reads the number only of an archive’s own indexes', () => {
    expect(generationOf('a', searchIndexName('a', 12))).to.equal(12);
    for (const other of [
      'a-search',
      'a-search-x-search-000001',
      'a-search-0001',
      'b-search-000001',
    ])
      expect(generationOf('a', other), other).to.equal(undefined);
  });
});

describe('rebuildProgress', () => {
  it('rises from 0 to 1', () => {
    const at = (change: Partial<SearchRebuild>) =>
      rebuildProgress({ phase: 'scan', threads: 0, totalThreads: 100, ...change } as SearchRebuild);
    expect(at({ totalThreads: 0 })).to.equal(0);
    expect(at({ threads: 50 })).to.equal(0.45);
    expect(at({ threads: 300 })).to.equal(0.9);
    expect(at({ phase: 'verify' })).to.equal(0.95);
    expect(at({ phase: 'done' })).to.equal(1);
  });
});
