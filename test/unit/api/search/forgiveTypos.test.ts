import { expect } from 'chai';
import { isOneTypo } from '../../../../services/api/search/forgiveTypos.js';

describe('isOneTypo', () => {
  it('tells words that differ in one letter from words that differ in two', () => {
    for (const other of ['connect', 'conet', 'conact', 'cnoect', 'conecta', 'onect']) {
      expect(isOneTypo('conect', other), other).to.equal(true);
      expect(isOneTypo(other, 'conect'), other).to.equal(true);
    }
    for (const other of ['contact', 'content', 'cone', 'connecta', 'ocneca', 'cenoct']) {
      expect(isOneTypo('conect', other), other).to.equal(false);
      expect(isOneTypo(other, 'conect'), other).to.equal(false);
    }
  });
});
