import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import {
  CALLS_AT_ONCE,
  searchElasticsearch,
  type SearchDeps,
} from '../../../../services/api/search/askElasticsearch.js';

// The calls of this test do not use it.
const DEPS = { asker: 'a reader' } as SearchDeps;

describe('searchElasticsearch', () => {
  it('makes a limited number of calls at once, begins the others in order, and does not hold completions', async () => {
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const calls = Array.from({ length: CALLS_AT_ONCE + 2 }, (_, n) =>
      searchElasticsearch(DEPS, async () => {
        begun.push(n);
        await new Promise<void>((resolve) => ends.push(resolve));
        return n;
      }),
    );
    await setImmediate();
    expect(begun).to.have.length(CALLS_AT_ONCE);
    const complete = () => Promise.resolve('completion');
    expect(await searchElasticsearch(DEPS, complete, 'completion')).to.equal('completion');
    ends[3]!();
    expect(await calls[3]).to.equal(3);
    await setImmediate();
    expect(begun.at(-1)).to.equal(CALLS_AT_ONCE);
    while (begun.length < calls.length || ends.length > 0) {
      for (const end of ends.splice(0)) end();
      await setImmediate();
    }
    expect(await Promise.all(calls)).to.deep.equal(calls.map((_, n) => n));
  });

  for (const line of ['search', 'completion'] as const) {
    it(`begins a ${line} of another asker before those of one who asks much`, async () => {
      const begun: string[] = [];
      const ends: (() => void)[] = [];
      const call = (asker: string) =>
        searchElasticsearch(
          { ...DEPS, asker },
          async () => {
            begun.push(asker);
            await new Promise<void>((resolve) => ends.push(resolve));
          },
          line,
        );
      const calls = Array.from({ length: CALLS_AT_ONCE + 3 }, () => call('much'));
      calls.push(call('little'));
      await setImmediate();
      expect(begun).to.have.length(CALLS_AT_ONCE);
      ends.shift()!();
      await setImmediate();
      ends.shift()!();
      await setImmediate();
      expect(begun.slice(CALLS_AT_ONCE)).to.include('little');
      while (begun.length < calls.length || ends.length > 0) {
        for (const end of ends.splice(0)) end();
        await setImmediate();
      }
      await Promise.all(calls);
    });
  }
});
