import { expect } from 'chai';
import { createCommonWords, MANY_MATCHES } from '../../../../services/api/search/commonWords.js';
import { parseQuery } from '../../../../services/api/search/parseQuery.js';

describe('common words', () => {
  it('are those of queries with very many matches', () => {
    const words = createCommonWords();
    words.learn(parseQuery('The error'), MANY_MATCHES);
    words.learn(parseQuery('rare thing'), MANY_MATCHES - 1);
    expect(words.areAll(parseQuery('error the'))).to.equal(true);
    expect(words.areAll(parseQuery('the rare'))).to.equal(false);
    expect(words.areAll(parseQuery('thing'))).to.equal(false);
  });

  it('do not include phrases', () => {
    const words = createCommonWords();
    words.learn(parseQuery('"the error"'), MANY_MATCHES);
    words.learn(parseQuery('the error'), MANY_MATCHES);
    expect(words.areAll(parseQuery('"the error"'))).to.equal(false);
    expect(words.areAll(parseQuery('the "error"'))).to.equal(false);
  });
});
