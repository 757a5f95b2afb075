import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../shared/discordApi/clock.js';

interface Sleeper {
  at: number;
  resolve: () => void;
}

/** A clock that stands still until it is told to go on. */
export class FakeClock implements Clock {
  #now = 0;
  #sleepers: Sleeper[] = [];

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const sleeper = { at: this.#now + ms, resolve };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', () => {
        this.#sleepers = this.#sleepers.filter((one) => one !== sleeper);
        reject(signal.reason as Error);
      });
    });
  }

  /** Goes on by some milliseconds. Sleepers that wake meanwhile see their own time. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await settle();
      const next = this.#sleepers.sort((a, b) => a.at - b.at)[0];
      if (!next || next.at > end) break;
      this.#sleepers.shift();
      this.#now = Math.max(this.#now, next.at);
      next.resolve();
    }
    this.#now = end;
    await settle();
  }
}

/** Lets everything go on that does not wait for a time. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
}
