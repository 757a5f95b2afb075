import { createHash } from 'node:crypto';
import { expect } from 'chai';
import {
  composed,
  describeMapping,
  generationOf,
  searchIndexName,
} from '../../../../shared/store/searchIndex.js';
import { rebuildProgress } from '../../../../shared/store/searchGenerations.js';
import type { SearchRebuild } from '../../../../shared/store/state.js';
import { processorTime } from '../../../support/processorTime.js';
import {
  KEPT_SINCE_THIRD,
  MAPPING_VERSION,
  searchIndexDefinition,
} from '../../../../shared/store/searchMapping.js';

describe('MAPPING_VERSION', () => {
  it('changes with the way in which texts are indexed', () => {
    const { settings, mappings } = searchIndexDefinition;
    const isSearched = ([name]: [string, unknown]) => !(name in KEPT_SINCE_THIRD);
    const properties = Object.entries(mappings.properties).filter(isSearched);
    const form = JSON.stringify([settings.analysis, properties]);
    const digest = createHash('sha256').update(form).digest('hex').slice(0, 16);
    const hint =
      'Raise MAPPING_VERSION, because older indexes find other things; then write both here';
    expect({ version: MAPPING_VERSION, digest }, hint).to.deep.equal({
      version: 4,
      digest: '294aa4b7676994ca',
    });
  });
});

describe('composed', () => {
  it('composes letters and their marks wherever they stand in a long text', () => {
    for (const letter of ['e\u0301', '\u1112\u1161\u11ab', '😀o\u0323\u0302'])
      for (let shift = 0; shift < 3; shift += 1) {
        const text = `${'x'.repeat(shift)}${letter.repeat(5_000)}`;
        expect(composed(text) === text.normalize('NFC'), `${letter} ${shift}`).to.equal(true);
      }
  });

  it('takes time in proportion to how many marks a letter has', () => {
    const marked = (count: number) => `a${'\u0301\u0316'.repeat(count)}`;
    const [few, many] = [marked(1_500), marked(30_000)];
    const limit = 100 * processorTime(() => composed(few));
    expect(processorTime(() => composed(many), limit)).to.be.below(limit);
  });
});

describe('describeMapping', () => {
  it('says nothing about the current mapping, and says what to do about any other', () => {
    expect(describeMapping(MAPPING_VERSION)).to.equal(null);
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
