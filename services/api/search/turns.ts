import { AppError } from '../../../shared/contract/errors.js';

/** How many work at once, and how long a turn is waited for. */
export interface TurnLimits {
  inAll: number;
  each: number;
  waitMs: number;
}

/** What one API process asks at once: Elasticsearch keeps threads for everybody else's searches. */
const LIMITS: TurnLimits = { inAll: 2, each: 1, waitMs: 2_000 };

/** Lets costly work through a little at a time: first one piece of each name, then the next of each. */
export class Turns {
  readonly #limits: TurnLimits;
  /** Work that waits, by name; the name that was served last stands last. */
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #working = new Map<string, number>();
  #atWork = 0;

  constructor(limits: TurnLimits = LIMITS) {
    this.#limits = limits;
  }

  /** What work comes to, begun when the name's turn has come. Throws UNAVAILABLE when that takes too long. */
  async take<T>(name: string, work: () => Promise<T>): Promise<T> {
    await this.#come(name);
    try {
      return await work();
    } finally {
      this.#leave(name);
    }
  }

  #come(name: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const line = this.#waiting.get(name) ?? [];
      this.#waiting.set(name, line);
      const timer = setTimeout(() => {
        this.#drop(name, begin);
        reject(tooMany());
      }, this.#limits.waitMs);
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      line.push(begin);
      this.#serve();
    });
  }

  #leave(name: string): void {
    this.#atWork -= 1;
    const left = (this.#working.get(name) ?? 1) - 1;
    if (left > 0) this.#working.set(name, left);
    else this.#working.delete(name);
    this.#serve();
  }

  #serve(): void {
    for (const [name, line] of [...this.#waiting]) {
      if (this.#atWork >= this.#limits.inAll) return;
      const working = this.#working.get(name) ?? 0;
      if (working >= this.#limits.each) continue;
      const begin = line[0]!;
      this.#drop(name, begin);
      this.#moveToEnd(name);
      this.#working.set(name, working + 1);
      this.#atWork += 1;
      begin();
    }
  }

  #drop(name: string, begin: () => void): void {
    const line = this.#waiting.get(name);
    const at = line?.indexOf(begin) ?? -1;
    if (!line || at < 0) return;
    line.splice(at, 1);
    if (line.length === 0) this.#waiting.delete(name);
  }

  #moveToEnd(name: string): void {
    const line = this.#waiting.get(name);
    if (!line) return;
    this.#waiting.delete(name);
    this.#waiting.set(name, line);
  }
}

function tooMany(): AppError {
  return new AppError('UNAVAILABLE', 'Too many searches are under way; try again soon', {
    headers: { 'Retry-After': '2' },
  });
}
