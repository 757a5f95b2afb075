import { setImmediate as nextTurn } from 'node:timers/promises';
import { MongoServerError, WriteConcern, type Collection, type MongoClient } from 'mongodb';
import { isStoreAway } from '../../../shared/platform/storeErrors.js';
import { withTimeout } from '../../../shared/platform/withTimeout.js';
import type { Collections } from '../../../shared/store/collections.js';
import { erasedAt } from '../../../shared/store/erasures.js';
import type { ErasureState } from '../../../shared/store/state.js';
import type { Change, Name } from './change.js';
import { StagedDocuments, type Outcome } from './stagedDocuments.js';

/**
 * Carries out a change completely or not at all. Resolves with what `decide` returned. Rejects with what it threw, or
 * with the reason why the change could not be stored.
 */
export type Commit = <T>(change: Change<T>) => Promise<T>;

/** Carries out changes in the order in which they come. Changes whose outcome readers wait for go through `first`. */
export interface OrderedCommit extends Commit {
  first: Commit;
  /**
   * Rejects all changes that wait, and all later ones, with ProcessStops. Resolves when the transaction under way has
   * ended and callers have heard of it, with another commit for what the process has to change last.
   */
  stop(): Promise<Commit>;
}

/** A change was not carried out because the process stops. Another process will make it. */
export class ProcessStops extends Error {
  override readonly name = 'ProcessStops';

  constructor() {
    super('The process stops');
  }
}

/** How many changes one transaction carries out at most, and how many documents these may read. */
const MOST_CHANGES = 64;
const MOST_READ = 5_000;
/**
 * How many changes of the rest one transaction carries out at most, within a short time (ms) after a change through
 * `first`. The next such change may come soon, and is not to wait long.
 */
const MOST_CHANGES_BESIDE = 16;
const BESIDE_MS = 10_000;
/**
 * How long a transaction may take (ms). A transaction that neither ended nor failed would hold up all later ones. The
 * driver tries a transaction again for two minutes, and MongoDB aborts each try after one minute.
 */
const LONGEST_MS = 200_000;
/** MongoDB's error code for a transaction that it has aborted. */
const ABORTED = 251;

interface Waiting {
  change: Change<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/**
 * Makes a commit, which carries out changes in transactions. Changes that callers ask for while a transaction is under
 * way go into the next one together, because a transaction for each change costs the server seven times as much
 * (docs/decisions/009-one-list-of-work.md). Changes through `first` have transactions of their own. While they come
 * without a pause, every other transaction is for the rest. `onCommit` is called after each transaction that was
 * stored, because it may have set marks.
 */
export function createCommit(
  client: MongoClient,
  collections: Collections,
  onCommit: () => void = () => undefined,
): OrderedCommit {
  const first: Waiting[] = [];
  const rest: Waiting[] = [];
  let firstAt = -Infinity;
  let running: Promise<void> | null = null;
  let isStopped = false;

  const takeGroup = (turn: Waiting[]): Waiting[] => {
    const isBeside = turn === rest && performance.now() - firstAt < BESIDE_MS;
    const most = isBeside ? MOST_CHANGES_BESIDE : MOST_CHANGES;
    let read = 0;
    const end = turn.findIndex(
      ({ change }, n) => n >= most || (read += readBy(change)) > MOST_READ,
    );
    return turn.splice(0, end < 0 ? turn.length : Math.max(end, 1));
  };
  const run = async (group: Waiting[]): Promise<void> => {
    const changes = group.map(({ change }) => change);
    try {
      const outcomes = await withTimeout(LONGEST_MS, () =>
        transact(client, collections, changes).catch(throwNamed),
      );
      onCommit();
      outcomes.forEach((outcome, n) => {
        if ('error' in outcome) group[n]!.reject(outcome.error);
        else group[n]!.resolve(outcome.value);
      });
    } catch (error) {
      if (group.length === 1 || isStoreAway(error)) {
        for (const { reject } of group) reject(error);
      } else {
        // One of the changes cannot be written. Each is tried by itself, so that the others do not fail with it.
        for (const one of group) await run([one]);
      }
    }
  };
  const drain = async (): Promise<void> => {
    // All changes of this turn of the event loop go into one transaction.
    await nextTurn();
    while (first.length + rest.length > 0) {
      for (const turn of [first, rest]) {
        if (turn.length > 0) await run(takeGroup(turn));
      }
    }
    running = null;
  };
  const commitIn =
    (queue: Waiting[]): Commit =>
    <T>(change: Change<T>) =>
      new Promise<T>((resolve, reject) => {
        if (isStopped) {
          reject(new ProcessStops());
          return;
        }
        queue.push({ change, resolve: resolve as (value: unknown) => void, reject });
        if (queue === first) firstAt = performance.now();
        running ??= drain();
      });
  const stop = async (): Promise<Commit> => {
    isStopped = true;
    for (const { reject } of [...first.splice(0), ...rest.splice(0)]) reject(new ProcessStops());
    await running;
    await nextTurn();
    return createCommit(client, collections);
  };
  return Object.assign(commitIn(rest), { first: commitIn(first), stop });
}

/**
 * Throws the reason why a transaction failed. MongoDB may have aborted each try of the driver. The driver then labels
 * the error as if the store were away, although MongoDB answers. But one transaction cannot hold so much, and another
 * try would fail, too.
 */
function throwNamed(error: unknown): never {
  if (error instanceof MongoServerError && Number(error.code) === ABORTED) {
    throw new Error('MongoDB aborts its transaction every time: it is too large', { cause: error });
  }
  throw error;
}

function readBy({ reads }: Change<unknown>): number {
  return Object.values(reads).reduce((sum, ids) => sum + ids.length, 0);
}

/** Carries out some changes in one transaction: reads their documents, lets each change decide in turn, and writes. */
async function transact(
  client: MongoClient,
  collections: Collections,
  changes: Change<unknown>[],
): Promise<Outcome[]> {
  return client.withSession((session) =>
    session.withTransaction(
      async () => {
        const staged = new StagedDocuments();
        for (const [name, ids] of idsByCollection(changes)) {
          const found = await (collections[name] as unknown as Collection<{ _id: string }>)
            .find({ _id: { $in: [...ids] } }, { session })
            .toArray();
          staged.load(name, ids, found);
          if (name !== 'state' || !ids.has('erasures')) continue;
          const state = found.find(({ _id }) => _id === 'erasures') ?? null;
          staged.erased = await erasedAt(collections, state as ErasureState | null);
        }
        const outcomes = changes.map((change) => staged.decide(change));
        await staged.write(collections, session);
        return outcomes;
      },
      { readConcern: { level: 'snapshot' }, writeConcern: new WriteConcern('majority') },
    ),
  );
}

function idsByCollection(changes: Change<unknown>[]): Map<Name, Set<string>> {
  const ids = new Map<Name, Set<string>>();
  for (const { reads } of changes) {
    for (const [name, own] of Object.entries(reads) as [Name, readonly string[]][]) {
      const all = ids.get(name) ?? new Set();
      for (const id of own) all.add(id);
      if (all.size > 0) ids.set(name, all);
    }
  }
  return ids;
}
