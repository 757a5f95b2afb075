import { expect } from 'chai';
import { ResponseCache } from '../../../../services/api/http/responseCache.js';

interface Value {
  text: string;
}

function aCache({
  maxBytes = 100_000,
  now = () => 0,
}: { maxBytes?: number; now?: () => number } = {}) {
  const cache = new ResponseCache<Value>({ maxBytes, sizeOf: ({ text }) => text.length, now });
  cache.resume();
  return cache;
}

/** A load that ends when told to, and counts how often it began. */
function aLoad() {
  const waiting: ((text: string) => void)[] = [];
  const load = () => new Promise<Value>((resolve) => waiting.push((text) => resolve({ text })));
  return { load, end: (text: string) => waiting.shift()?.(text), begun: () => waiting.length };
}

const value = (text: string) => () => Promise.resolve({ text });
const never = () => Promise.reject(new Error('It was loaded again'));

describe('ResponseCache', () => {
  it('keeps a value until one of its tags changes', async () => {
    const cache = aCache();
    await cache.get('k', ['thread:1', 'server:2'], value('old'));
    cache.invalidate(['thread:2', 'server:1']);
    expect((await cache.get('k', [], never)).text).to.equal('old');
    cache.invalidate(['server:2']);
    expect((await cache.get('k', ['thread:1'], value('new'))).text).to.equal('new');
  });

  it('joins the loads of one key', async () => {
    const cache = aCache();
    const { load, end, begun } = aLoad();
    const both = Promise.all([cache.get('k', [], load), cache.get('k', [], load)]);
    expect(begun()).to.equal(1);
    end('one');
    expect((await both).map(({ text }) => text)).to.deep.equal(['one', 'one']);
  });

  it('keeps nothing that was loading when its tag changed, and lets nobody join it', async () => {
    const cache = aCache();
    const { load, end, begun } = aLoad();
    const before = cache.get('k', ['thread:1'], load);
    cache.invalidate(['thread:1']);
    const after = cache.get('k', ['thread:1'], load);
    expect(begun()).to.equal(2);
    end('old');
    expect((await before).text).to.equal('old');
    end('new');
    expect((await after).text).to.equal('new');
    expect((await cache.get('k', [], never)).text).to.equal('new');
  });

  it('lets an old load that ends last not replace a newer one', async () => {
    const cache = aCache();
    const slow = aLoad();
    const before = cache.get('k', ['thread:1'], slow.load);
    cache.invalidate(['thread:1']);
    await cache.get('k', ['thread:1'], value('new'));
    slow.end('old');
    await before;
    expect((await cache.get('k', [], never)).text).to.equal('new');
  });

  it('does not keep failures', async () => {
    const cache = aCache();
    const failure = await cache.get('k', [], never).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
    expect((await cache.get('k', [], value('fine'))).text).to.equal('fine');
  });

  it('keeps values for one second while announcements may be missed', async () => {
    let now = 0;
    const cache = aCache({ now: () => now });
    await cache.get('k', [], value('first'));
    cache.suspend();
    now = 999;
    expect((await cache.get('k', [], never)).text).to.equal('first');
    now = 1_000;
    expect((await cache.get('k', [], value('second'))).text).to.equal('second');
  });

  it('is emptied when announcements come again, loads under way included', async () => {
    const cache = aCache();
    const { load, end } = aLoad();
    await cache.get('k', [], value('old'));
    const loading = cache.get('l', [], load);
    cache.suspend();
    cache.resume();
    end('old');
    await loading;
    expect(cache.size.entries).to.equal(0);
    expect((await cache.get('k', [], value('new'))).text).to.equal('new');
  });

  it('stays within its bytes, forgets the least used first, and their tags with them', async () => {
    const cache = aCache({ maxBytes: 20_000 });
    for (let number = 0; number < 50; number += 1) {
      await cache.get(`k${number}`, [`t${number}`], value('x'.repeat(1_000)));
      await cache.get('k0', ['t0'], value('x'.repeat(1_000)));
      expect(cache.size.bytes).to.be.at.most(20_000);
    }
    expect(cache.size.entries).to.be.within(5, 19);
    await cache.get('k0', [], never);
    cache.invalidate(Array.from({ length: 50 }, (_, number) => `t${number}`));
    expect(cache.size).to.deep.equal({ entries: 0, bytes: 0 });
  });

  it('refuses a value that would take too much of it', async () => {
    const cache = aCache({ maxBytes: 20_000 });
    await cache.get('k', [], value('x'.repeat(10_000)));
    expect(cache.size.entries).to.equal(0);
  });

  it('keeps nothing when it may use no memory', async () => {
    const cache = aCache({ maxBytes: 0 });
    await cache.get('k', [], value('a'));
    expect((await cache.get('k', [], value('b'))).text).to.equal('b');
  });
});
