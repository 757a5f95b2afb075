import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { until } from '../../support/apiServer.js';
import { indexerDeps } from '../../support/indexerDeps.js';
import { rebuildArchive } from '../../support/rebuildArchive.js';
import { bringToRest, verifyNow } from '../../support/verifiedArchive.js';
import { suiteStores } from '../../support/suiteStores.js';

const THREADS = 60;
const MESSAGES = 8;
const WRITERS = 4;

describe('a rebuild of search under constant writes', () => {
  const stores = suiteStores();

  it('never shows a reader an error, an empty index or a lost document', async () => {
    const deps = indexerDeps(stores);
    const { write, writeThreads, rebuild, search } = rebuildArchive(deps);
    const threads = await writeThreads(THREADS, MESSAGES);
    await stores.refreshSearch();
    const stop = new AbortController();
    let writes = 0;
    const latest = new Map<string, string>();
    const writer = async (part: number): Promise<void> => {
      for (let turn = 0; !stop.signal.aborted; turn += 1) {
        const { threadId, messageIds } = threads[(turn * WRITERS + part) % threads.length]!;
        await write(threadId, messageIds, `turn${turn}`);
        latest.set(threadId, `turn${turn}`);
        writes += 1;
        await pause(10);
      }
    };
    const seen: number[] = [];
    const reader = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        const { threadCount, messageCount } = await search('anchor of');
        seen.push(threadCount, messageCount / MESSAGES);
        await pause(50);
      }
    };
    const rebuilding = async (): Promise<void> => {
      for (let generation = 2; generation <= 3; generation += 1) {
        expect(await rebuild()).to.include({ state: 'done', threads: THREADS });
        const [written, read] = [writes, seen.length];
        await until(() => writes > written + 40 && seen.length > read + 10);
      }
    };
    const loops = [...Array.from({ length: WRITERS }, (_, part) => writer(part)), reader()];
    try {
      // A loop only ends early where it fails.
      await Promise.race([rebuilding(), ...loops]);
    } finally {
      stop.abort();
      await Promise.allSettled(loops);
    }
    expect([...new Set(seen)]).to.deep.equal([THREADS]);
    await stores.refreshSearch();
    for (const [threadId, word] of latest) {
      const { results } = await search(`${word} ${threadId}`);
      expect(results.messages, threadId).to.have.length(MESSAGES);
    }
    await bringToRest(deps, stores);
    expect(await verifyNow(deps)).to.deep.include({ differences: [], clean: true });
  });
});
