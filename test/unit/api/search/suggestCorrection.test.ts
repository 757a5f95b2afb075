import { expect } from 'chai';
import { correct } from '../../../../services/api/search/suggestCorrection.js';

function entry(offset: number, text: string, ...options: string[]) {
  return {
    text,
    offset,
    length: text.length,
    options: options.map((word) => ({ text: word, score: 0.8, freq: 3 })),
  };
}

describe('correct', () => {
  it('replaces each word by its correction', () => {
    const corrected = correct('instal nodde now', [
      [entry(0, 'instal', 'install'), entry(7, 'nodde', 'node'), entry(13, 'now')],
    ]);
    expect(corrected).to.equal('install node now');
  });

  it('uses a correction of the second field where the first has none', () => {
    expect(correct('nodde', [[entry(0, 'nodde')], [entry(0, 'nodde', 'node')]])).to.equal('node');
  });

  it('prefers a correction of the first field, and of the whole word to that of a part', () => {
    const fields = [[entry(0, 'nodde', 'node')], [entry(0, 'nodde', 'noddy')]];
    expect(correct('nodde', fields)).to.equal('node');
    const parts = [entry(0, '--serch', '--search'), entry(2, 'serch', 'search')];
    expect(correct('--serch', [parts])).to.equal('--search');
  });

  it('keeps quotes and drops markup', () => {
    expect(correct('"nodde js" <b>&', [[entry(1, 'nodde', 'node')]])).to.equal('"node js" b');
  });

  it('takes the next word of each that has one, from either field', () => {
    const fields = [
      [entry(0, 'nodde', 'node'), entry(6, 'serch', 'search')],
      [entry(0, 'nodde', 'node', 'nodes')],
    ];
    expect(correct('nodde serch', fields, { rank: 1 })).to.equal('nodes search');
    expect(correct('nodde serch', fields, { rank: 2 })).to.equal(null);
    const parts = [entry(0, 'node-jss', 'node-js'), entry(0, 'node', 'mode')];
    expect(correct('node-jss', [parts], { rank: 1 })).to.equal(null);
  });

  it('returns null without corrections', () => {
    expect(correct('node', [[entry(0, 'node')], []])).to.equal(null);
  });

  it('offers no word that only the index knows, and signs for the letters that stand for them', () => {
    expect(correct('serch', [[entry(0, 'serch', '=search', 'search')]])).to.equal('search');
    expect(correct('--serch', [[entry(0, 'ᐨᐨserch', 'ᐨᐨsearch')]])).to.equal('--search');
  });

  it('takes no number for another one', () => {
    expect(correct('nodde 3001', [[entry(0, 'nodde', 'node'), entry(6, '3001', '3000')]])).to.equal(
      'node 3001',
    );
    expect(correct('٣٠٠١', [[entry(0, '٣٠٠١', '3000')]])).to.equal(null);
  });
});
