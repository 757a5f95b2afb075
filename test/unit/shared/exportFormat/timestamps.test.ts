import { expect } from 'chai';
import {
  dateToTimestamp,
  isTimestamp,
  microsToTimestamp,
  timestampToDate,
  timestampToDateOrNull,
  timestampToMicros,
} from '../../../../shared/exportFormat/timestamps.js';

describe('timestamps', () => {
  it('read offsets and any number of digits', () => {
    expect(timestampToMicros('2026-08-30T13:53:00.3991816+03:00')).to.equal(1_788_087_180_399_181);
    expect(timestampToMicros('2026-08-30T10:53:00.5Z')).to.equal(1_788_087_180_500_000);
    expect(timestampToDate('2026-08-30T13:53:00.57+03:00').toISOString()).to.equal(
      '2026-08-30T10:53:00.570Z',
    );
  });

  it('are written with seven digits, and read back the same', () => {
    expect(microsToTimestamp(1_788_087_180_399_181)).to.equal('2026-08-30T10:53:00.3991810+00:00');
    for (const micros of [0, 1, 999_999, 1_788_087_180_000_001, 4_102_444_800_999_999]) {
      expect(timestampToMicros(microsToTimestamp(micros))).to.equal(micros);
    }
    const date = new Date(1_788_087_180_001);
    expect(timestampToDate(dateToTimestamp(date))).to.deep.equal(date);
  });

  it('are refused without an offset, beyond the calendar, before the year 1 and beyond 2199', () => {
    for (const text of [
      '2026-01-01T00:00:00',
      '2026-02-41T00:00:00Z',
      '0000-01-01T00:00:00+14:00',
      '2200-01-01T00:00:00Z',
      '',
    ]) {
      expect(isTimestamp(text), text).to.equal(false);
    }
    expect(isTimestamp('0001-01-01T00:00:00+00:00')).to.equal(true);
    // In UTC, where exports write them.
    expect(timestampToDateOrNull('0002-01-01T00:00:00+00:01')).to.equal(null);
    expect(isTimestamp('0001-01-01T00:00:00+00:01')).to.equal(false);
    expect(isTimestamp('2199-12-31T23:59:59-00:01')).to.equal(false);
    expect(isTimestamp('2200-01-01T00:00:00+00:01')).to.equal(true);
  });
});
