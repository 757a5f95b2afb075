import { Unavailable } from './unavailable.js';

/** The limits of all tasks together, whatever their names. */
export interface TurnLimits {
  /** How many tasks may run at once. */
  inAll: number;
  /** How long a task waits for its turn before it is refused (ms). */
  waitMs: number;
  /** Makes the error with which a task is refused. */
  refusal: () => Unavailable;
}

/**
 * The default: the limits of costly searches in one process. They leave threads of Elasticsearch free for all other
 * searches.
 */
const LIMITS: TurnLimits = { inAll: 2, waitMs: 2_000, refusal: tooMany };

/** A task that waits. It may begin while fewer than `atOnce` tasks of its name run. */
interface Task {
  atOnce: number;
  begin: () => void;
}

/**
 * Limits how many tasks run at once. Each task belongs to a name, such as that of its caller. Where several names have
 * tasks waiting, they take turns, so that one with many tasks does not hold up the others.
 */
export class Turns {
  readonly #limits: TurnLimits;
  /** The tasks that wait, by name. The name of the task that began last comes last. */
  readonly #waiting = new Map<string, Task[]>();
  /** How many tasks of each name run. */
  readonly #runningOf = new Map<string, number>();
  /** How many tasks of all names run. */
  #running = 0;

  constructor(limits: Partial<TurnLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /**
   * Waits until it is the turn of `name` and fewer than `atOnce` of its tasks run. Then runs `work`, and resolves with
   * its result. After `waitMs` without a turn, rejects with the refusal, and never runs `work`.
   */
  async take<T>(name: string, atOnce: number, work: () => Promise<T>): Promise<T> {
    await this.#waitForTurn(name, atOnce);
    try {
      return await work();
    } finally {
      this.#end(name);
    }
  }

  #waitForTurn(name: string, atOnce: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const line = this.#waiting.get(name) ?? [];
      this.#waiting.set(name, line);
      const timer = setTimeout(() => {
        this.#drop(name, task);
        reject(this.#limits.refusal());
      }, this.#limits.waitMs);
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const task = { atOnce, begin };
      line.push(task);
      this.#beginNext();
    });
  }

  #end(name: string): void {
    this.#running -= 1;
    const left = this.#runningOf.get(name)! - 1;
    if (left > 0) this.#runningOf.set(name, left);
    else this.#runningOf.delete(name);
    this.#beginNext();
  }

  #beginNext(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const [name, task] = next;
      this.#drop(name, task);
      this.#moveToEnd(name);
      this.#runningOf.set(name, (this.#runningOf.get(name) ?? 0) + 1);
      this.#running += 1;
      task.begin();
    }
  }

  /** The task that begins next, with its name; undefined while none may begin. */
  #next(): [string, Task] | undefined {
    if (this.#running >= this.#limits.inAll) return undefined;
    for (const [name, [task]] of this.#waiting) {
      if (task && (this.#runningOf.get(name) ?? 0) < task.atOnce) return [name, task];
    }
    return undefined;
  }

  /** Removes a waiting task. */
  #drop(name: string, task: Task): void {
    const line = this.#waiting.get(name)!;
    line.splice(line.indexOf(task), 1);
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
