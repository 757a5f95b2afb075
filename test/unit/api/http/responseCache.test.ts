import { expect } from 'chai';
import { ResponseCache } from '../../../../services/api/http/responseCache.js';
import { until } from '../../../support/apiServer.js';

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

/** A load that ends when it is told to, and counts how often it began. */
function aLoad() {
  const waiting: ((text: string) => void)[] = [];
  const load = () => new Promise<Value>((resolve) => waiting.push((text) => resolve({ text })));
  return { load, end: (text: string) => waiting.shift()?.(text), begun: () => waiting.length };
}

/** Reads what is kept, or else loads it. */
async function read(
  cache: ResponseCache<Value>,
  key: string,
  tags: string[],
  load: () => Promise<Value>,
): Promise<Value> {
  return cache.kept(key) ?? cache.load(key, { tags }, load);
}

const value = (text: string) => () => Promise.resolve({ text });
const never = () => Promise.reject(new Error('It was loaded again'));

describe('ResponseCache', () => {
  it('keeps a value until one of its tags changes', async () => {
    const cache = aCache();
    await read(cache, 'k', ['thread:1', 'server:2'], value('old'));
    cache.invalidate(['thread:2', 'server:1']);
    expect((await read(cache, 'k', [], never)).text).to.equal('old');
    cache.invalidate(['server:2']);
    expect((await read(cache, 'k', ['thread:1'], value('new'))).text).to.equal('new');
  });

  it('joins the loads of one key', async () => {
    const cache = aCache();
    const { load, end, begun } = aLoad();
    const both = Promise.all([read(cache, 'k', [], load), read(cache, 'k', [], load)]);
    expect(begun()).to.equal(1);
    end('one');
    expect((await both).map(({ text }) => text)).to.deep.equal(['one', 'one']);
  });

  it('keeps nothing that was loading when its tag changed, and lets no other reader join it', async () => {
    const cache = aCache();
    const { load, end, begun } = aLoad();
    const before = read(cache, 'k', ['thread:1', 'server:2'], load);
    cache.invalidate(['server:2', 'server:3']);
    const after = read(cache, 'k', ['thread:1', 'server:2'], load);
    expect(begun()).to.equal(2);
    end('old');
    expect((await before).text).to.equal('old');
    end('new');
    expect((await after).text).to.equal('new');
    expect((await read(cache, 'k', [], never)).text).to.equal('new');
  });

  it('does not replace a newer value when an old load ends last', async () => {
    const cache = aCache();
    const slow = aLoad();
    const before = read(cache, 'k', ['thread:1'], slow.load);
    cache.invalidate(['thread:1']);
    await read(cache, 'k', ['thread:1'], value('new'));
    slow.end('old');
    await before;
    expect((await read(cache, 'k', [], never)).text).to.equal('new');
  });

  it('does not keep failures', async () => {
    const cache = aCache();
    const failure = await read(cache, 'k', [], never).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
    expect((await read(cache, 'k', [], value('fine'))).text).to.equal('fine');
  });

  it('keeps values for one second while announcements may be missed', async () => {
    let now = 0;
    const cache = aCache({ now: () => now });
    cache.suspend();
    await read(cache, 'k', [], value('first'));
    cache.suspend();
    now = 999;
    expect((await read(cache, 'k', [], never)).text).to.equal('first');
    now = 1_000;
    expect((await read(cache, 'k', [], value('second'))).text).to.equal('second');
  });

  it('keeps values for one second until announcements arrive for the first time', async () => {
    let now = 0;
    const sizeOf = ({ text }: Value) => text.length;
    const cache = new ResponseCache<Value>({ maxBytes: 10_000, sizeOf, now: () => now });
    await read(cache, 'k', [], value('first'));
    now = 1_000;
    expect(cache.kept('k')).to.equal(undefined);
  });

  it('keeps values no longer where the clock of the machine is set back', async () => {
    const real = Date.now;
    let backMs = 0;
    Date.now = () => real() - backMs;
    try {
      const sizeOf = ({ text }: Value) => text.length;
      const cache = new ResponseCache<Value>({ maxBytes: 10_000, sizeOf });
      await read(cache, 'k', [], value('first'));
      backMs = 3_600_000;
      await until(() => cache.kept('k') === undefined);
    } finally {
      Date.now = real;
    }
  });

  for (const [when, before, change] of [
    ['announcements may be missed from now on', 'resume', 'suspend'],
    ['announcements come again', 'suspend', 'resume'],
  ] as const) {
    it(`is emptied when ${when}, loads under way included`, async () => {
      const cache = aCache();
      const { load, end } = aLoad();
      cache[before]();
      await read(cache, 'k', [], value('old'));
      const loading = read(cache, 'l', [], load);
      cache[change]();
      end('old');
      await loading;
      expect(cache.size.entries).to.equal(0);
      expect((await read(cache, 'k', [], value('new'))).text).to.equal('new');
    });
  }

  it('stays within its bytes, forgets the least used first, and their tags with them', async () => {
    const cache = aCache({ maxBytes: 20_000 });
    for (let number = 0; number < 50; number += 1) {
      await read(cache, `k${number}`, [`t${number}`], value('x'.repeat(1_000)));
      await read(cache, 'k0', [], never);
      expect(cache.size.bytes).to.be.at.most(20_000);
    }
    expect(cache.size.entries).to.be.within(5, 19);
    await read(cache, 'k0', [], never);
    cache.invalidate(Array.from({ length: 50 }, (_, number) => `t${number}`));
    expect(cache.size).to.deep.equal({ entries: 0, bytes: 0 });
  });

  it('refuses a value that would take too much of it', async () => {
    const cache = aCache({ maxBytes: 20_000 });
    await read(cache, 'k', [], value('x'.repeat(10_000)));
    expect(cache.size.entries).to.equal(0);
  });

  it('keeps nothing when it may use no memory', async () => {
    const cache = aCache({ maxBytes: 0 });
    await read(cache, 'k', [], value('a'));
    expect((await read(cache, 'k', [], value('b'))).text).to.equal('b');
  });

  it('keeps a value that was loaded soon after a change only until the change certainly shows', async () => {
    let now = 0;
    const cache = aCache({ now: () => now });
    const load = (text: string) => cache.load('k', { tags: ['t'], settlesMs: 2_000 }, value(text));
    await load('first');
    now = 1_999;
    expect(cache.kept('k')?.text).to.equal('first');
    now = 2_000;
    expect(cache.kept('k')).to.equal(undefined);
    await load('settled');
    now = 1_000_000;
    expect(cache.kept('k')?.text).to.equal('settled');
    for (const change of [() => cache.invalidate(['t']), () => cache.clear()]) {
      now += 1_000_000;
      change();
      expect(cache.kept('k')).to.equal(undefined);
      now += 500;
      await load('soon');
      now += 1_499;
      expect(cache.kept('k')?.text).to.equal('soon');
      now += 1;
      expect(cache.kept('k')).to.equal(undefined);
    }
  });

  it('tells a load until when its value is kept', async () => {
    let now = 0;
    const cache = aCache({ now: () => now });
    const told = async (settlesMs: number) => {
      let until: number | undefined;
      cache.invalidate([]);
      now += 500;
      await cache.load('k', { tags: [], settlesMs }, (keptUntil) => {
        until = keptUntil;
        return Promise.resolve({ text: '' });
      });
      return until === undefined ? undefined : until - now;
    };
    expect(await told(500)).to.equal(undefined);
    expect(await told(2_000)).to.equal(1_500);
    cache.suspend();
    expect(await told(0)).to.equal(1_000);
    expect(await told(2_000)).to.equal(1_000);
    expect(await told(700)).to.equal(200);
  });

  it('ends a value at its own time, even where a change shows later', async () => {
    let now = 0;
    const sizeOf = ({ text }: Value) => text.length;
    const expiryOf = ({ text }: Value) => Number(text);
    const cache = new ResponseCache<Value>({ maxBytes: 10_000, sizeOf, expiryOf, now: () => now });
    cache.resume();
    for (const settlesMs of [undefined, 2_000]) {
      cache.clear();
      await cache.load('k', { tags: [], settlesMs }, value(String(now + 500)));
      now += 499;
      expect(cache.kept('k')).not.to.equal(undefined);
      now += 1;
      expect(cache.kept('k')).to.equal(undefined);
    }
    cache.suspend();
    await cache.load('k', { tags: [] }, value(String(now + 500)));
    now += 500;
    expect(cache.kept('k')).to.equal(undefined);
  });

  it('keeps a newer load when an old one fails', async () => {
    const cache = aCache();
    const { load, end, begun } = aLoad();
    let fail = (_error: Error): void => undefined;
    const failing = read(cache, 'k', ['t'], () => new Promise((_, reject) => (fail = reject)));
    cache.invalidate(['t']);
    const newer = read(cache, 'k', ['t'], load);
    fail(new Error('The store is away'));
    await failing.catch(() => undefined);
    const joined = read(cache, 'k', ['t'], load);
    expect(begun()).to.equal(1);
    end('new');
    expect([await newer, await joined]).to.deep.equal([{ text: 'new' }, { text: 'new' }]);
  });

  it('finds no form of a value that has ended, and none under its name once it is loaded again', async () => {
    let now = 0;
    const sizeOf = ({ text }: Value) => text.length;
    const expiryOf = ({ text }: Value) => Number(text);
    const options = { maxBytes: 100_000, sizeOf, expiryOf, now: () => now };
    const cache = new ResponseCache<Value, Value>(options);
    cache.resume();
    const first = await cache.load('k', { tags: [] }, value('500'));
    cache.name('k', first, '/a', () => ({ text: 'first' }));
    now = 500;
    expect(cache.find('/a')).to.equal(undefined);
    const second = await cache.load('k', { tags: [] }, value('900'));
    expect(cache.find('/a')).to.equal(undefined);
    cache.extend('k', first, { text: '999' });
    expect(cache.kept('k')).to.equal(second);
  });

  it('gives a value the same name once', async () => {
    const sizeOf = ({ text }: Value) => text.length;
    const cache = new ResponseCache<Value, Value>({ maxBytes: 100_000, sizeOf });
    cache.resume();
    const loaded = await cache.load('k', { tags: [] }, value('body'));
    const name = () => cache.name('k', loaded, '/a', () => ({ text: 'ready' }));
    name();
    const before = cache.size;
    name();
    expect(cache.size).to.deep.equal(before);
  });

  it('does not forget a value that is found by its name', async () => {
    const sizeOf = ({ text }: Value) => text.length;
    const cache = new ResponseCache<Value, Value>({ maxBytes: 50_000, sizeOf });
    const loaded = await cache.load('k', { tags: [] }, value('body'));
    cache.name('k', loaded, '/a', () => ({ text: 'ready' }));
    for (let number = 0; number < 50; number += 1) {
      await cache.load(`k${number}`, { tags: [] }, value('x'.repeat(1_000)));
      expect(cache.find('/a')?.text).to.equal('ready');
    }
    expect(cache.size.entries).to.be.below(50);
  });

  it('counts the bytes of a ready form and of its name', async () => {
    const sizeOf = ({ text }: Value) => text.length;
    const options = { maxBytes: 200_000, sizeOf, readySizeOf: sizeOf };
    const cache = new ResponseCache<Value, Value>(options);
    const loaded = await cache.load('k', { tags: [] }, value('body'));
    const before = cache.size.bytes;
    const longName = `/${'a'.repeat(5_000)}`;
    cache.name('k', loaded, longName, () => ({ text: 'x'.repeat(5_000) }));
    // A character of a name may take two bytes.
    expect(cache.size.bytes).to.be.above(before + 15_000);
  });

  it('keeps no name that makes a value too large', async () => {
    const sizeOf = ({ text }: Value) => text.length;
    const cache = new ResponseCache<Value, Value>({ maxBytes: 16_384, sizeOf });
    cache.resume();
    const loaded = await cache.load('k', { tags: [] }, value('body'));
    cache.name('k', loaded, '/a', () => ({ text: 'ready' }));
    expect(cache.size.entries).to.equal(0);
    await cache.load('k', { tags: [] }, value('new'));
    expect(cache.find('/a')).to.equal(undefined);
  });

  it('finds a ready form by name, until its value goes', async () => {
    const sizeOf = ({ text }: Value) => text.length;
    const cache = new ResponseCache<Value, Value>({ maxBytes: 100_000, sizeOf });
    cache.resume();
    const loaded = await cache.load('k', { tags: ['t'] }, value('body'));
    expect(cache.find('/a')).to.equal(undefined);
    const ready = (text: string) => () => ({ text });
    for (const name of ['/a', '/b', '/c', '/d']) cache.name('k', loaded, name, ready(name));
    const full = cache.size;
    cache.name('k', loaded, '/e', ready('/e'));
    expect(cache.size).to.deep.equal(full);
    expect(cache.find('/a')?.text).to.equal('/a');
    expect(cache.find('/d')?.text).to.equal('/d');
    expect(cache.find('/e'), 'one name too many').to.equal(undefined);
    const { bytes } = cache.size;
    cache.extend('k', loaded, { text: 'a longer body' });
    expect(cache.find('/a'), 'the form before').to.equal(undefined);
    expect(cache.size.bytes).to.be.below(bytes);
    cache.name('k', loaded, '/a', ready('of another value'));
    expect(cache.find('/a')).to.equal(undefined);
    cache.name('k', cache.kept('k')!, '/a', ready('again'));
    expect(cache.find('/a')?.text).to.equal('again');
    cache.invalidate(['t']);
    expect(cache.find('/a')).to.equal(undefined);
    expect(cache.size).to.deep.equal({ entries: 0, bytes: 0 });
  });
});
