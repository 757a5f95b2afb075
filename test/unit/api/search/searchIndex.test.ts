import { expect } from 'chai';
import {
  documentId,
  limitConversation,
  searchAlias,
  searchIndexName,
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

  it('keeps whole contents up to the limit, and cuts the one that passes it', () => {
    expect(limitConversation(['abc', '', 'def', 'ghi'], 5)).to.deep.equal(['abc', 'de']);
    expect(limitConversation(['abc', 'def'], 6)).to.deep.equal(['abc', 'def']);
    expect(limitConversation(['abc', 'def'], 3)).to.deep.equal(['abc']);
  });
});
