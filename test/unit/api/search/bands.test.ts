import { expect } from 'chai';
import {
  givenFor,
  lift,
  placesAbove,
  scoreOf,
  STEP,
  type BandName,
} from '../../../../services/api/search/bands.js';

const LOWEST: BandName = 'stretch';

/** The score that Elasticsearch gives to a match with a band and a relevance. */
function given(band: BandName, relevance: number): number {
  const { boost } = lift({ match_all: {} }, placesAbove(band, LOWEST)).constant_score!;
  return boost! + relevance;
}

describe('bands', () => {
  const RANGES: [BandName, number, number][] = [
    ['stretch', 0.5, 0.56],
    ['message', 0.56, 0.62],
    ['messageAsWritten', 0.62, 0.7],
    ['messageNearby', 0.7, 0.73],
    ['title', 0.73, 0.76],
    ['messageNearbyAsWritten', 0.76, 0.8],
    ['messagePhrase', 0.8, 0.84],
    ['titleAsWritten', 0.84, 0.9],
    ['titlePhrase', 0.9, 1],
  ];

  for (const [band, floor, ceiling] of RANGES) {
    it(`gives ${band} ${floor} to below ${ceiling}, rising with relevance`, () => {
      expect(scoreOf(given(band, 0), LOWEST)).to.equal(floor);
      expect(scoreOf(given(band, 4), LOWEST)).to.be.closeTo((floor + ceiling) / 2, 1e-9);
      expect(scoreOf(given(band, 200), LOWEST)).to.be.within((floor + ceiling) / 2, ceiling - 1e-4);
    });
  }

  it('gives the whole title 1', () => {
    for (const relevance of [0, 3, 40]) {
      expect(scoreOf(given('wholeTitle', relevance), LOWEST)).to.equal(1);
    }
  });

  it('places a message by the sum of the conditions that it meets', () => {
    expect(placesAbove('messageAsWritten', 'message')).to.equal(STEP.asWritten);
    expect(placesAbove('messageNearby', 'message')).to.equal(STEP.nearby);
    const both = STEP.asWritten + STEP.nearby;
    expect(placesAbove('messageNearbyAsWritten', 'message')).to.equal(both);
    expect(placesAbove('messagePhrase', 'message')).to.equal(both + STEP.phrase);
  });

  it('begins lower where weak matches are asked for', () => {
    expect(scoreOf(0, 'mistyped')).to.equal(0.1);
    const places = placesAbove('message', 'mistyped');
    const { boost } = lift({ match_all: {} }, places).constant_score!;
    expect(scoreOf(boost!, 'mistyped')).to.equal(0.56);
  });

  it('tells the least score from Elasticsearch for a given score', () => {
    for (const lowest of ['mistyped', 'stretch'] as const) {
      for (const score of [0.5, 0.515, 0.55, 0.6, 0.61, 0.7, 0.79, 0.8, 0.9, 0.95, 1]) {
        expect(scoreOf(givenFor(score, lowest), lowest)).to.be.closeTo(score, 1e-9);
      }
    }
    expect(givenFor(0, 'mistyped')).to.equal(0);
  });
});
