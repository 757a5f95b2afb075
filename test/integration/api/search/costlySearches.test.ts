import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { searchArchive } from '../../../support/searchArchive.js';
import { searchArchive as search } from '../../../../services/api/search/searchArchive.js';
import { Turns } from '../../../../services/api/turns.js';
import type { SearchResponse } from '../../../../shared/contract/search.js';
import { ensureSearchIndex } from '../../../../shared/store/searchIndex.js';
import { exchange, startApi, until, type ApiServer } from '../../../support/apiServer.js';
import {
  aThread,
  searchParams,
  searchSuite,
  storeDocuments,
  UNLIMITED,
} from '../../../support/searchDocuments.js';
import { stayInMinute } from '../../../support/stayInMinute.js';
import { removeSearchAndKeys } from '../../../support/stores.js';

const LETTERS = 'abcdefghijklmnopqrst';
const COMMON = ['mooring', 'anchor', 'galley', 'rigging'];

const CORPUS = [
  aThread({
    title: 'Haul the halyard',
    messages: [`${LETTERS}u drifts by the breakwater with ${COMMON.join(' ')}`, `${LETTERS} rests`],
  }),
  ...Array.from({ length: 5 }, (_, n) => aThread({ title: `${COMMON.join(' ')} ${n}` })),
];

describe('search: costly questions', () => {
  const fixture = searchSuite(...CORPUS.flat());

  const weak = (q: string) => fixture.search(q, { minScore: 0 });

  it('forgives typos in words of at most 40 letters', async () => {
    const longest = LETTERS + LETTERS;
    await fixture.store(aThread({ title: 'Long', messages: [`${longest} and ${longest}u`] }));
    expect((await weak(`${LETTERS.slice(0, -1)}x`)).total).to.be.above(0);
    expect((await weak(`${longest.slice(0, -1)}x`)).total).to.be.above(0);
    expect((await weak(`${longest}x`)).total).to.equal(0);
  });

  it('forgives one wrong letter from 3 letters on, and two in words of 6 to 12 in messages', async () => {
    const words = 'ox, fid, pintle, forecastling, superstructur, lamp-holder';
    await fixture.store([
      ...aThread({ title: 'Mizzenmast', messages: [words] }),
      ...aThread({ title: 'Other', messages: ['a holder'] }),
    ]);
    const found = async (q: string) => (await weak(q)).messageCount;
    for (const q of ['fod', 'pimtke', 'forecxstlxng', 'superstrxctur']) {
      expect(await found(q), q).to.equal(1);
    }
    expect(await found('superxtrxctur')).to.equal(0);
    expect(await found('oz fid')).to.equal(0);
    expect(await found('"fod"')).to.equal(0);
    expect(await found('fod "fod"')).to.equal(0);
    expect((await weak('mixzenmast')).threadCount).to.equal(1);
    expect((await weak('mixxenmast')).threadCount).to.equal(0);
    // The first letter may be wrong from 7 letters on, and only where no other letter is.
    for (const q of ['xorecastling', 'orecastling', 'ofrecastling']) {
      expect(await found(q), q).to.equal(1);
    }
    for (const q of ['xintle', 'xorecastlixg']) expect(await found(q), q).to.equal(0);
    // The other part of the word has to stand there, too.
    expect(await found('lamp-holdre')).to.equal(1);
  });

  it('takes a word for a typo of three words at most', async () => {
    await fixture.store([
      ...aThread({ title: 'Masts', messages: ['mastaa', 'mastab', 'mastac'] }),
      ...aThread({ title: 'mastad' }),
    ]);
    expect(await weak('mastax')).to.include({ threadCount: 1, messageCount: 3 });
  });

  it('forgives typos in the three rarest words, wherever they stand', async () => {
    const { messageCount } = await weak(`${COMMON.join(' ')} driffts brekwater`);
    expect(messageCount).to.equal(1);
    expect((await weak('mooringg anchorr galleyy')).total).to.be.above(0);
    expect((await weak('mooringg anchorr galleyy rigingg')).total).to.equal(0);
    // The archive has the first three words, so the last one is the rarest.
    await fixture.store(aThread({ title: 'Capstan windlass bollard fairlead' }));
    expect((await weak('capstan windlass bollard fairlaed')).threadCount).to.equal(1);
  });

  it('marks the words that a typo stands for', async () => {
    const { results } = await weak('brekwater');
    expect(results.threads[0]!.highlights.content).to.include('<mark>breakwater</mark>');
    expect(results.messages[0]!.highlights.content).to.include('<mark>breakwater</mark>');
  });

  it('marks the beginning of a word on pages of at most 20 results', async () => {
    const marked = async (limit: number) => {
      const { results } = await fixture.search('break', { minScore: 0, limit });
      return results.messages[0]!.highlights.content;
    };
    expect(await marked(20)).to.include('<mark>breakwater</mark>');
    expect(await marked(21)).to.equal(undefined);
  });

  it('marks the first 10,000 characters of a text', async () => {
    const text = (before: number) => `${'lorem '.repeat(2_000).slice(0, before)} taffrail`;
    await fixture.store(aThread({ title: 'Long', messages: [text(9_960), text(10_020)] }));
    for (const { q, minScore } of [
      { q: 'taffrail', minScore: 0.5 },
      { q: 'taffr', minScore: 0 },
    ]) {
      const { results } = await fixture.search(q, { minScore, type: 'messages' });
      const passages = new Map(
        results.messages.map(({ content, highlights }) => [content.length, highlights.content]),
      );
      expect(passages.size).to.equal(2);
      expect(passages.get(text(9_960).length)).to.include('<mark>taffrail</mark>');
      expect(passages.get(text(10_020).length)).to.equal(undefined);
    }
  });

  it('takes no word for a typo that stands in more than three documents', async () => {
    const bosuns = Array.from({ length: 3 }, (_, n) => aThread({ title: `Bosun ${n}` }));
    await fixture.store([...bosuns.flat(), ...aThread({ title: 'Bosup' })]);
    expect((await weak('bosun')).threadCount).to.equal(4);
    await fixture.store(aThread({ title: 'Bosun 4' }));
    expect((await weak('bosun')).threadCount).to.equal(4);
    expect((await weak('bosum')).threadCount).to.equal(5);
  });

  it('forgives typos in queries of at most 8 words and phrases', async () => {
    const eight = 'drifts by "the halyard" with haul mooring anchor brekwater';
    const nine = `${eight} galley`;
    expect(nine.length).to.be.at.most(100);
    expect((await weak(eight)).threadCount).to.equal(1);
    expect((await weak(nine)).total).to.equal(0);
    expect((await weak(nine.replace('brekwater', 'breakwater'))).threadCount).to.equal(1);
  });

  it('forgives typos in queries of at most 100 characters', async () => {
    const said = `drifts by the breakwater with ${COMMON.join(' ')}`;
    const parts = [said, said.slice(7), said.slice(10)].map((part) => `"${part}"`);
    expect(parts.join(' ').length).to.be.above(100);
    expect((await weak(`brekwater ${parts[0]}`)).messageCount).to.equal(1);
    expect((await weak(`brekwater ${parts.join(' ')}`)).total).to.equal(0);
    expect((await weak(`breakwater ${parts.join(' ')}`)).messageCount).to.equal(1);
  });

  it('answers a long query as any other, but without weak matches', async () => {
    const q = `${COMMON.join(' ')} ${LETTERS}u drifts by the breakwater with`;
    expect((await fixture.search(q)).messageCount).to.equal(1);
    expect((await weak(q)).messageCount).to.equal(1);
  });

  it('corrects one wrong letter after the first two, in queries of at most 8 short words', async () => {
    const suggested = async (q: string) => (await fixture.search(q)).suggestion;
    expect(await suggested('breakwaterr')).to.equal('breakwater');
    expect(await suggested('breekwaterr')).to.equal(null);
    expect(await suggested('bbreakwater')).to.equal(null);
    expect(await suggested('by the drifts with mooring anchor galley breakwaterr')).to.equal(
      'by the drifts with mooring anchor galley breakwater',
    );
    expect(
      await suggested('by the drifts with mooring anchor galley rigging breakwaterr'),
    ).to.equal(null);
    expect(await suggested(`${LETTERS}v drifts`)).to.equal(null);
  });

  it('makes costly searches wait for their turn, but not ordinary ones', async () => {
    const turns = new Turns({ inAll: 1, waitMs: 50 });
    let end = (): void => undefined;
    const held = turns.take('somebody', 1, () => new Promise<void>((resolve) => (end = resolve)));
    const search = (q: string, minScore = 0.5): Promise<SearchResponse> =>
      searchArchive({ ...fixture, turns }, searchParams(q, { minScore }), UNLIMITED);
    expect((await search('breakwater')).total).to.equal(2);
    expect(await search('breakwaterr')).to.include({ total: 0, suggestion: null });
    for (const busy of [search('breakwater', 0.4), search(`${'a b '.repeat(20)} c d e f g h i`)]) {
      expect(await busy.catch((error: unknown) => error)).to.include({ code: 'UNAVAILABLE' });
    }
    end();
    await held;
    expect((await search('breakwater', 0.4)).total).to.equal(2);
    expect((await search('breakwaterr')).suggestion).to.equal('breakwater');
  });

  it('lets an asker have one costly search under way, and two looks for extras', async () => {
    const limits: number[] = [];
    class ToldTurns extends Turns {
      override take<T>(name: string, atOnce: number, work: () => Promise<T>): Promise<T> {
        limits.push(atOnce);
        return super.take(name, atOnce, work);
      }
    }
    const deps = { ...fixture, turns: new ToldTurns() };
    await searchArchive(deps, searchParams('breakwater', { minScore: 0.4 }), UNLIMITED);
    await searchArchive(deps, searchParams('breakwaterr'), UNLIMITED);
    expect(limits).to.deep.equal([1, 2]);
  });

  it('answers an ordinary search without the extras that are not found in time', async () => {
    let refuse = (): void => undefined;
    class LateTurns extends Turns {
      override take<T>(): Promise<T> {
        return new Promise((_resolve, reject) => (refuse = () => reject(new Error('too late'))));
      }
    }
    const deps = { ...fixture, turns: new LateTurns(), furtherMs: 500 };
    const { answer, isWhole } = await search(deps, searchParams('breakwaterr'), UNLIMITED);
    expect(answer).to.include({ total: 0, suggestion: null });
    expect(isWhole).to.equal(false);
    refuse();
    await setImmediate();
  });

  it('answers a single question of one asker before the many of another', async () => {
    const begun: string[] = [];
    class ToldTurns extends Turns {
      override take<T>(name: string, atOnce: number, work: () => Promise<T>): Promise<T> {
        return super.take(name, atOnce, () => {
          begun.push(name);
          return work();
        });
      }
    }
    // The wait is long, because a busy machine takes seconds for all of these.
    const turns = new ToldTurns({ inAll: 2, waitMs: 120_000 });
    const ask = (name: string) => {
      const params = searchParams('brekwater', { minScore: 0.1 });
      return searchArchive({ ...fixture, turns }, params, { ...UNLIMITED, name });
    };
    await Promise.all([...Array.from({ length: 12 }, () => ask('many')), ask('one')]);
    expect(begun).to.deep.equal(['many', 'one', ...Array<string>(11).fill('many')]);
  });
});

/** Thrown where a search was answered with 503, or without something that was not found in time. */
class TooSlow extends Error {}

describe('search: what counts as several searches', () => {
  stayInMinute();
  let api: ApiServer;

  /**
   * Runs a test with a limit of so many searches a minute. It begins anew where a search was counted, but not answered
   * in time.
   */
  const withSearches = async (limit: string, test: () => Promise<void>): Promise<void> => {
    await until(async () => {
      api = await startApi({
        env: { RATE_LIMIT_DISABLED: 'false', RATE_LIMIT_SEARCHES: limit },
      });
      const { elasticsearch, mongo } = api.stores;
      try {
        await ensureSearchIndex(elasticsearch, mongo.namespace);
        await storeDocuments(elasticsearch, mongo.namespace, CORPUS.flat());
        await test();
        return true;
      } catch (error) {
        if (error instanceof TooSlow) return false;
        throw error;
      } finally {
        await removeSearchAndKeys(api.stores);
        await api.close();
      }
    });
  };

  const ask = async (query: string) => {
    const began = performance.now();
    const reply = await exchange(api.url, 'GET', `/api/search?q=${query}`);
    const { status, headers } = reply;
    if (status === 503 || performance.now() - began > 1_900) throw new TooSlow();
    const left = Number(/r=(\d+)/.exec(String(headers['ratelimit']))?.[1]);
    return { status, left, headers, suggestion: (reply.json() as SearchResponse).suggestion };
  };

  it('a weak search, a long one, and one that looks for a correction count', () =>
    withSearches('22', async () => {
      expect(await ask('breakwater')).to.include({ status: 200, left: 21 });
      expect(await ask('breakwater&minScore=0.4')).to.include({ status: 200, left: 16 });
      expect(await ask('a+b+c+d+e+f+g+h+i')).to.include({ status: 200, left: 11 });
      expect(await ask('breakwaterr')).to.include({ left: 6, suggestion: 'breakwater' });
      const other = await ask('breakwaterr&limit=19');
      expect(other).to.include({ left: 1, suggestion: 'breakwater' });
      const refused = await ask('breakwater&minScore=0.3');
      expect(refused.status).to.equal(429);
      expect(Number(refused.headers['retry-after'])).to.be.within(1, 60);
    }));

  it('an ordinary search is answered to the last, without a correction', () =>
    withSearches('4', async () => {
      expect(await ask('breakwater')).to.include({ status: 200, left: 3 });
      expect(await ask('breakwaterr')).to.include({ status: 200, left: 2, suggestion: null });
      expect(await ask('breakwaterr')).to.include({ status: 200, left: 1, suggestion: null });
      expect(await ask('breakwater')).to.include({ status: 200, left: 0 });
      expect((await ask('breakwater')).status).to.equal(429);
    }));

  it('a search that costs more than the whole limit takes all of it', () =>
    withSearches('2', async () => {
      expect(await ask('breakwater&minScore=0.4')).to.include({ status: 200, left: 0 });
      expect((await ask('breakwater')).status).to.equal(429);
    }));
});
