import { expect } from 'chai';
import { plainBeginnings, plainName } from '../../../../shared/store/plainName.js';

describe('plainName', () => {
  for (const [written, plain] of [
    ['  Ann \t\n Lee ', 'Ann Lee'],
    ['\u202eAnn\u202c \u200f', 'Ann'],
    ['Ann\u0000Lee', 'AnnLee'],
    ['Ann \u200e Lee', 'Ann Lee'],
    ['Ann\ufeff \u0007 \u2066 Lee', 'Ann Lee'],
  ] as const) {
    it(`makes ${JSON.stringify(plain)} of ${JSON.stringify(written)}, and leaves that as it is`, () => {
      expect(plainName(written)).to.equal(plain);
      expect(plainName(plain)).to.equal(plain);
    });
  }
});

describe('plainBeginnings', () => {
  it('gives what may be a written name, with its plain name', () => {
    expect(plainBeginnings('\ufeffA\u200e \u200e\u00a0b')).to.deep.equal([
      { length: 2, name: 'A' },
      { length: 3, name: 'A' },
      { length: 7, name: 'A b' },
    ]);
  });

  it('gives nothing of a text in which nothing can be seen', () => {
    expect(plainBeginnings(' \u200e\n')).to.deep.equal([]);
  });
});
