import { createHash } from 'node:crypto';
import { expect } from 'chai';
import {
  composed,
  describeMapping,
  documentId,
  generationOf,
  searchAlias,
  searchIndexName,
  STRETCH_LENGTH,
  stretchesOf,
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

describe('searchIndex', () => {
  it('names the alias and its generations after the archive', () => {
    expect(searchAlias('forum-archive')).to.equal('forum-archive-search');
    expect(searchIndexName('forum-archive', 12)).to.equal('forum-archive-search-000012');
  });

  it('makes any name fit for an index', () => {
    for (const namespace of ['Forum', '_x', '-x', 'a,b*', 'données', '"<>|']) {
      expect(searchAlias(namespace)).to.match(/^[a-z0-9][a-z0-9_-]*-search$/);
    }
    expect(searchAlias('a,b')).to.not.equal(searchAlias('a*b'));
  });

  it('tells a thread from the message that shares its id', () => {
    expect(documentId('thread', '1')).to.not.equal(documentId('message', '1'));
  });

  describe('stretchesOf', () => {
    const named = { title: 'Title', tags: ['Tag'] };
    const saidIn = (contents: string[], limit?: number) =>
      stretchesOf(named, contents, limit).map(({ text }) => text.slice(2));

    it('begins every stretch with title and tags, and makes one of these alone', () => {
      expect(stretchesOf(named, [])).to.deep.equal([{ text: ['Title', 'Tag'] }]);
      const long = 'x'.repeat(STRETCH_LENGTH);
      for (const { text } of stretchesOf(named, [long, long, 'end'])) {
        expect(text.slice(0, 2)).to.deep.equal(['Title', 'Tag']);
      }
    });

    it('puts every two neighbours into one stretch, and ends each at its length', () => {
      const contents = Array.from({ length: 40 }, (_, n) => `${n} `.repeat(1 + (n % 7) * 30));
      const stretches = saidIn(contents);
      for (const [n, content] of contents.slice(1).entries()) {
        const both = stretches.filter(
          (text) => text.includes(content) && text.includes(contents[n]!),
        );
        expect(both, String(n)).to.have.length.at.least(1);
      }
      for (const text of stretches) {
        const before = text.slice(1, -1).join('');
        expect(before.length).to.be.below(STRETCH_LENGTH);
      }
      expect(stretches.length).to.be.above(2);
    });

    it('takes whole contents up to the limit, and cuts the one that exceeds it', () => {
      expect(saidIn(['abc', '', 'def', 'ghi'], 5)).to.deep.equal([['abc', 'de']]);
      expect(saidIn(['abc', 'def'], 6)).to.deep.equal([['abc', 'def']]);
      expect(saidIn(['abc', 'def'], 3)).to.deep.equal([['abc']]);
    });

    it("leaves out tags beyond the platform's limit, as every stretch holds them", () => {
      const tags = Array.from({ length: 100 }, (_, n) => String(n).padEnd(200, 'x'));
      const [stretch] = stretchesOf({ title: 'Title', tags }, ['Hello']);
      expect(stretch!.text).to.deep.equal(['Title', tags[0], tags[1], 'Hello']);
    });

    it('has fewer stretches than an index takes, however short the messages are', () => {
      const many = Array.from({ length: 200_000 }, () => 'ok no');
      expect(saidIn(many).length).to.be.below(10_000);
    });
  });
});
