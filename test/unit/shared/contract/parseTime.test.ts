import { expect } from 'chai';
import { parseTime } from '../../../../shared/contract/parseTime.js';

describe('parseTime', () => {
  it('reads dates and times, with a zone or in UTC, and t and z in either case', () => {
    for (const [text, expected] of [
      ['2026-03-01', '2026-03-01T00:00:00.000Z'],
      ['2026-03-01T10:20', '2026-03-01T10:20:00.000Z'],
      ['2026-03-01T10:20:30.5+02:00', '2026-03-01T08:20:30.500Z'],
      ['2026-03-01T10:20:30Z', '2026-03-01T10:20:30.000Z'],
      ['2026-03-01t10:20:30z', '2026-03-01T10:20:30.000Z'],
      ['2026-03-01t10:20:30.25-01:00', '2026-03-01T11:20:30.250Z'],
    ] as const) {
      expect(new Date(parseTime(text)).toISOString(), text).to.equal(expected);
    }
  });

  it('gives NaN for a day that does not exist, a zone without a time, and what is no time', () => {
    for (const text of ['2026-02-31', '2026-03-01Z', '2026-03-01T25:00Z', 'soon', '', '2026']) {
      expect(parseTime(text), text).to.be.NaN;
    }
  });
});
