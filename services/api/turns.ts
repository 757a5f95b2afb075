import { Unavailable } from './unavailable.js';

/** The limits of all pieces of work together, whatever their names. */
export interface TurnLimits {
  /** How many pieces of work may be under way at once. */
  inAll: number;
  /** How long a piece of work waits for its turn before it is refused (ms). */
  waitMs: number;
  /** Makes the error with which a piece of work is refused. */
  refusal: () => Unavailable;
}

/**
 * The default: the limits of costly searches in one process. They leave threads of Elasticsearch free for all other
 * searches.
 */
const LIMITS: TurnLimits = { inAll: 2, waitMs: 2_000, refusal: tooMany };

/** A piece of work that waits. It may begin while fewer than `atOnce` pieces of its name are under way. */
interface Piece {
  atOnce: number;
  begin: () => void;
}

/**
 * Limits how many pieces of work are under way at once. Each piece belongs to a name, such as that of its caller. Where
 * several names have work waiting, they take turns, so that one with much work does not hold up the others.
 */
export class Turns {
  readonly #limits: TurnLimits;
  /** The work that waits, by name. The name whose work has begun last comes last. */
  readonly #waiting = new Map<string, Piece[]>();
  /** How many pieces of each name are under way. */
  readonly #working = new Map<string, number>();
  /** How many pieces of all names are under way. */
  #atWork = 0;

  constructor(limits: Partial<TurnLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /**
   * Waits until it is the turn of `name` and fewer than `atOnce` pieces of its work are under way. Then it does the
   * work, and resolves with the result. After `waitMs` without a turn it rejects with the refusal, and never does the
   * work.
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

  /** Removes a waiting piece. */
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

function tooMany(): Unavailable {
  return new Unavailable('Too many searches are under way; try again soon', 2);
}
