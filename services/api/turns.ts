import { AppError } from '../../shared/contract/errors.js';

/** What bounds the work of all names together. */
export interface TurnLimits {
  /** The most pieces of work under way at once. */
  inAll: number;
  /** How long a piece of work waits for its turn (ms) before it is refused. */
  waitMs: number;
  /** What a piece of work is refused with. */
  refusal: () => AppError;
}

/** What one API process asks at once: Elasticsearch keeps threads for everybody else's searches. */
const LIMITS: TurnLimits = { inAll: 2, waitMs: 2_000, refusal: tooMany };

/** A piece of work that waits. It may begin while fewer than `atOnce` pieces of its name are under way. */
interface Piece {
  atOnce: number;
  begin: () => void;
}

/** Lets costly work through a little at a time: first one piece of each name, then the next of each. */
export class Turns {
  readonly #limits: TurnLimits;
  /** Work that waits, by name; the name that was served last stands last. */
  readonly #waiting = new Map<string, Piece[]>();
  readonly #working = new Map<string, number>();
  #atWork = 0;

  constructor(limits: Partial<TurnLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /**
   * Waits until it is the turn of `name`, and fewer than `atOnce` pieces of its work are under way. Then does the work,
   * and resolves with its result. Throws the refusal, and does nothing, when the wait takes too long.
   */
  async take<T>(name: string, atOnce: number, work: () => Promise<T>): Promise<T> {
    await this.#come(name, atOnce);
    try {
      return await work();
    } finally {
      this.#leave(name);
    }
  }

  #come(name: string, atOnce: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const line = this.#waiting.get(name) ?? [];
      this.#waiting.set(name, line);
      const timer = setTimeout(() => {
        this.#drop(name, piece);
        reject(this.#limits.refusal());
      }, this.#limits.waitMs);
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const piece = { atOnce, begin };
      line.push(piece);
      this.#serve();
    });
  }

  #leave(name: string): void {
    this.#atWork -= 1;
    const left = this.#working.get(name)! - 1;
    if (left > 0) this.#working.set(name, left);
    else this.#working.delete(name);
    this.#serve();
  }

  #serve(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const [name, piece] = next;
      this.#drop(name, piece);
      this.#moveToEnd(name);
      this.#working.set(name, (this.#working.get(name) ?? 0) + 1);
      this.#atWork += 1;
      piece.begin();
    }
  }

  /** The piece that begins next, with its name; undefined while none may begin. */
  #next(): [string, Piece] | undefined {
    if (this.#atWork >= this.#limits.inAll) return undefined;
    for (const [name, [piece]] of this.#waiting) {
      if (piece && (this.#working.get(name) ?? 0) < piece.atOnce) return [name, piece];
    }
    return undefined;
  }

  /** Takes a piece that waits out of its line. */
  #drop(name: string, piece: Piece): void {
    const line = this.#waiting.get(name)!;
    line.splice(line.indexOf(piece), 1);
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
