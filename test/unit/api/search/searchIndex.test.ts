import { expect } from 'chai';
import {
  documentId,
  searchAlias,
  searchIndexName,
  STRETCH_LENGTH,
  stretchesOf,
} from '../../../../shared/store/searchIndex.js';

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
