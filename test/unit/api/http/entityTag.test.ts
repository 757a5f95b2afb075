import { expect } from 'chai';
import { entityTag, noneMatchNames } from '../../../../services/api/http/entityTag.js';

describe('entityTag', () => {
  it('differs by encoding', () => {
    expect(entityTag('abc', 'identity')).to.equal('"abc"');
    expect(entityTag('abc', 'gzip')).to.equal('"abc-gzip"');
  });
});

describe('noneMatchNames', () => {
  it('reads lists, weak tags and *', () => {
    expect(noneMatchNames('"abc"', '"abc"')).to.equal(true);
    expect(noneMatchNames('W/"abc"', '"abc"')).to.equal(true);
    expect(noneMatchNames('"x", W/"y" ,"abc"', '"abc"')).to.equal(true);
    expect(noneMatchNames(' * ', '"abc"')).to.equal(true);
  });

  it('does not take one form, or a part, for another', () => {
    expect(noneMatchNames(undefined, '"abc"')).to.equal(false);
    expect(noneMatchNames('', '"abc"')).to.equal(false);
    expect(noneMatchNames('"abc-gzip"', '"abc"')).to.equal(false);
    expect(noneMatchNames('abc', '"abc"')).to.equal(false);
    expect(noneMatchNames('"ab"', '"abc"')).to.equal(false);
  });
});
