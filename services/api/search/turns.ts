import { AppError } from '../../../shared/contract/errors.js';

/** How many pieces of work are under way at once, and how long a turn is waited for. */
export interface TurnLimits {
  inAll: number;
  waitMs: number;
}

/** What one API process asks at once: Elasticsearch keeps threads for everybody else's searches. */
const LIMITS: TurnLimits = { inAll: 2, waitMs: 2_000 };

/** Work that waits for its turn, which comes when fewer than `atOnce` pieces of its name are under way. */
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

  constructor(limits: TurnLimits = LIMITS) {
    this.#limits = limits;
  }

  /**
   * What work comes to. It begins when the name's turn has come and fewer than `atOnce` pieces of that name are under
   * way. Throws UNAVAILABLE when that takes too long.
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
        reject(tooMany());
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
    const left = (this.#working.get(name) ?? 1) - 1;
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

  /** The piece whose turn it is, with its name; undefined when none may begin. */
  #next(): [string, Piece] | undefined {
    if (this.#atWork >= this.#limits.inAll) return undefined;
    for (const [name, [piece]] of this.#waiting) {
      if (piece && (this.#working.get(name) ?? 0) < piece.atOnce) return [name, piece];
    }
    return undefined;
  }

  #drop(name: string, piece: Piece): void {
    const line = this.#waiting.get(name);
    const at = line?.indexOf(piece) ?? -1;
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
