import { expect } from 'chai';
import {
  microsToTimestamp,
  timestampToMicros,
} from '../../../../shared/exportFormat/timestamps.js';
import { placeAfter } from '../../../../services/indexer/sync/listThreads.js';
import { PlatformAnswerError } from '../../../../shared/discordApi/platformErrors.js';
import { aLiveThread } from '../../../support/liveAnswers.js';

const archived = (at: string | null) =>
  aLiveThread({ thread_metadata: { archived: true, archive_timestamp: at } });

interface Update {
  $set?: Record<string, string>;
  $unset?: Record<string, string>;
}

describe('placeAfter', () => {
  it('goes on a millisecond later than the last thread: its equals may be behind the edge', () => {
    const page = [
      archived('2026-01-02T00:00:00.000500+00:00'),
      archived('2026-01-01T00:00:00.000999+00:00'),
    ];
    const { update, isEnd } = placeAfter({}, page, true);
    expect(isEnd).to.equal(false);
    expect((update as Update).$set).to.deep.equal({
      newest: '2026-01-02T00:00:00.000500+00:00',
      before: '2026-01-01T00:00:00.001Z',
    });
  });

  it('goes on at the thread itself where a whole page is of one millisecond', () => {
    const page = [
      archived('2026-01-01T00:00:00.000700+00:00'),
      archived('2026-01-01T00:00:00.000300+00:00'),
    ];
    const known = { before: '2026-01-01T00:00:00.001Z', newest: '2026-03-01T00:00:00+00:00' };
    expect((placeAfter(known, page, true).update as Update).$set).to.deep.equal({
      newest: known.newest,
      before: '2026-01-01T00:00:00.000300+00:00',
    });
  });

  it('comes to the end of a list of which several pages are of one millisecond', () => {
    const micros = [...Array.from({ length: 9 }, (_, n) => 3_000_900 - n * 100), 2_000_000];
    const threads = micros.map((at) => archived(microsToTimestamp(at)));
    const seen = new Set<string>();
    let known: Partial<Record<'before' | 'newest', string>> = {};
    for (let pages = 1; ; pages += 1) {
      const { before } = known;
      const left = threads.filter((_, n) => !before || micros[n]! < timestampToMicros(before));
      const page = left.slice(0, 2);
      page.forEach(({ id }) => seen.add(id));
      const { update, isEnd } = placeAfter(known, page, left.length > page.length);
      if (isEnd) break;
      known = (update as Update).$set!;
      expect(pages).to.be.below(threads.length);
    }
    expect(seen.size).to.equal(threads.length);
  });

  it('gives a list up that brings the same page again and again', () => {
    const page = [archived('2026-01-02T00:00:00+00:00'), archived('2026-01-01T00:00:00+00:00')];
    let known: Partial<Record<'before' | 'newest', string>> = {};
    const goOn = () => {
      known = (placeAfter(known, page, true).update as Update).$set!;
    };
    goOn();
    goOn();
    expect(goOn).to.throw(PlatformAnswerError, 'does not go on');
  });

  it('ends with the list, and knows how far the next one has to go', () => {
    const first = placeAfter({}, [archived('2026-01-02T00:00:00+00:00')], false);
    expect(first.isEnd).to.equal(true);
    expect((first.update as Update).$set).to.deep.equal({ listedTo: '2026-01-02T00:00:00+00:00' });
    expect(placeAfter({}, [], false)).to.include({ isEnd: true });
    const empty = placeAfter({ newest: '2026-01-02T00:00:00+00:00', before: 'x' }, [], true);
    expect((empty.update as Update).$set).to.deep.equal({ listedTo: '2026-01-02T00:00:00+00:00' });
  });

  it('goes on by the threads that have a time of archiving', () => {
    const page = ['2026-01-02T00:00:00+00:00', '2026-01-01T00:00:00+00:00', null].map(archived);
    expect((placeAfter({}, page, true).update as Update).$set).to.deep.equal({
      newest: '2026-01-02T00:00:00+00:00',
      before: '2026-01-01T00:00:00.001Z',
    });
  });

  it('ends behind what an earlier list has found, not at it', () => {
    const known = { listedTo: '2026-01-05T00:00:00+00:00' };
    const to = (at: string) => placeAfter(known, [archived(at)], true).isEnd;
    expect(to('2026-01-06T00:00:00+00:00')).to.equal(false);
    expect(to('2026-01-05T00:00:00+00:00')).to.equal(false);
    expect(to('2026-01-04T23:59:59.999+00:00')).to.equal(true);
  });
});
