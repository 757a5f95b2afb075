import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  MongoServerError,
  WriteConcern,
  type AnyBulkWriteOperation,
  type ClientSession,
  type Collection,
  type MongoClient,
} from 'mongodb';
import { isStoreAway } from '../../../shared/platform/storeErrors.js';
import { withTimeout } from '../../../shared/platform/withTimeout.js';
import type { Collections } from '../../../shared/store/collections.js';
import { erasedAt, type ErasedPeople } from '../../../shared/store/erasures.js';
import type { ErasureState } from '../../../shared/store/state.js';
import {
  AT_ONCE,
  isQuarantined,
  markId,
  newMark,
  type Mark,
  type Marking,
  type WorkKind,
} from '../../../shared/store/work.js';
import { slices } from '../records/slices.js';

type Name = keyof Collections;
type Stored<N extends Name> = Collections[N] extends Collection<infer T> ? T : never;

/** The documents of a transaction, as its earlier changes leave them. */
export interface Documents {
  /** A document that the change reads; null when there is none. Throws for one that the change does not read. */
  get<N extends Name>(name: N, id: string): Stored<N> | null;
  /** Who is erased. Throws where no change of the transaction reads `erasures` of `state`. */
  erased(): ErasedPeople;
  put<N extends Name>(name: N, document: Stored<N>): void;
  remove(name: Name, id: string): void;
  /** Sets a mark. */
  mark(kind: WorkKind, subject: string, marking?: Marking): void;
}

/** A change of the archive: which documents it reads, and what it decides to write. */
export interface Change<T> {
  /** Ids of the documents it reads, by collection. */
  reads: { readonly [N in Name]?: readonly string[] };
  /**
   * Decides what is written. When somebody else has changed the documents meanwhile, it is called again with the new
   * ones. When it throws, nothing of this change is written.
   */
  decide(documents: Documents): T;
}

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
/** How many documents one call writes. The process encodes them at once, and does nothing else meanwhile. */
const MOST_WRITTEN = 1_000;
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

type Outcome = { value: unknown } | { error: unknown };

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

type Document = { _id: string };

/**
 * What a change writes: documents, with null for a removed one, and the marks that it sets without having read them.
 */
interface Writes {
  documents: Map<Name, Map<string, Document | null>>;
  marks: Map<string, SetMark>;
}

/** A mark to be set. */
type SetMark = Pick<Mark, 'kind' | 'subject' | 'due'> & {
  causes: readonly string[];
  whole: boolean;
};

/** Adds a mark to be set. Where it is there already, it gets the causes of both, and the earlier time. */
function addMark(marks: Writes['marks'], mark: SetMark): void {
  const id = markId(mark.kind, mark.subject);
  const before = marks.get(id) ?? mark;
  const causes = [...new Set([...before.causes, ...mark.causes])];
  const due = before.due < mark.due ? before.due : mark.due;
  marks.set(id, { ...mark, causes, due, whole: before.whole || mark.whole });
}

const noWrites = (): Writes => ({ documents: new Map(), marks: new Map() });

/** The documents of a transaction whose changes are being decided. */
class StagedDocuments {
  /** Who is erased; null where no change reads that. */
  erased: ErasedPeople | null = null;
  readonly #read = new Map<Name, Map<string, Document | null>>();
  readonly #writes = noWrites();

  /** Takes documents that were read, by their ids. */
  load(name: Name, ids: Iterable<string>, found: Document[]): void {
    const read = this.#read.get(name) ?? new Map<string, Document | null>();
    for (const id of ids) read.set(id, null);
    for (const document of found) read.set(document._id, document);
    this.#read.set(name, read);
  }

  /** Lets a change decide, and takes over what it writes, unless it throws. */
  decide(change: Change<unknown>): Outcome {
    const own = noWrites();
    try {
      const value = change.decide(this.#documents(own));
      for (const [name, documents] of own.documents) {
        const all = this.#writes.documents.get(name) ?? new Map<string, Document | null>();
        this.#writes.documents.set(name, all);
        for (const [id, document] of documents) all.set(id, document);
      }
      for (const mark of own.marks.values()) addMark(this.#writes.marks, mark);
      return { value };
    } catch (error) {
      return { error };
    }
  }

  async write(collections: Collections, session: ClientSession): Promise<void> {
    await this.#setMarks(collections, session);
    for (const [name, documents] of this.#writes.documents) {
      const collection = collections[name] as unknown as Collection<Document>;
      const stored = await this.#storedAmong(name, [...documents.keys()], { collection, session });
      const gone = [...stored].filter((id) => documents.get(id) === null);
      if (gone.length > 0) await collection.deleteMany({ _id: { $in: gone } }, { session });
      const kept = [...documents.values()].filter((document) => document !== null);
      for (const some of slices(kept, MOST_WRITTEN)) {
        const writes = some.map((document) => writeOf(document, stored.has(document._id)));
        await collection.bulkWrite(writes, { session, ordered: false });
      }
    }
  }

  /** Reads the marks that are set and that no change has read, and sets them. */
  async #setMarks({ work }: Collections, session: ClientSession): Promise<void> {
    const { documents, marks } = this.#writes;
    if (marks.size === 0) return;
    const found = await work.find({ _id: { $in: [...marks.keys()] } }, { session }).toArray();
    this.load('work', marks.keys(), found);
    const known = new Map(found.map((mark) => [mark._id, mark]));
    const written = documents.get('work') ?? new Map<string, Document | null>();
    documents.set('work', written);
    for (const [id, mark] of marks) written.set(id, markAgain(known.get(id) ?? null, mark));
  }

  /**
   * Resolves with which of some documents are stored. Documents that no change has read are looked for now, because an
   * insert costs both sides much less than an upsert.
   */
  async #storedAmong(
    name: Name,
    ids: string[],
    { collection, session }: { collection: Collection<Document>; session: ClientSession },
  ): Promise<ReadonlySet<string>> {
    const read = this.#read.get(name);
    const stored = new Set(ids.filter((id) => read?.get(id)));
    const unread = ids.filter((id) => !read?.has(id));
    for (const some of slices(unread)) {
      const found = collection.find({ _id: { $in: some } }, { session, projection: { _id: 1 } });
      for (const { _id } of await found.toArray()) stored.add(_id);
    }
    return stored;
  }

  #documents(own: Writes): Documents {
    const staged = (name: Name, id: string): Document | null | undefined => {
      const mine = own.documents.get(name)?.get(id);
      if (mine !== undefined) return mine;
      const before = this.#writes.documents.get(name)?.get(id);
      return before !== undefined ? before : this.#read.get(name)?.get(id);
    };
    const put = (name: Name, id: string, document: Document | null): void => {
      const documents = own.documents.get(name) ?? new Map<string, Document | null>();
      own.documents.set(name, documents.set(id, document));
    };
    return {
      get<N extends Name>(name: N, id: string) {
        const found = staged(name, id);
        if (found === undefined)
          throw new Error(`${name} ${id} is not among what the change reads`);
        return found as Stored<N> | null;
      },
      erased: () => {
        if (!this.erased) throw new Error('The change does not read who is erased');
        return this.erased;
      },
      put: (name, document) =>
        put(name, (document as unknown as Document)._id, document as unknown as Document),
      remove: (name, id) => put(name, id, null),
      mark(kind, subject, { causes = [], due = AT_ONCE, whole = false } = {}) {
        const id = markId(kind, subject);
        const known = staged('work', id) as Mark | null | undefined;
        const marking = { kind, subject, causes, due, whole };
        if (known === undefined) addMark(own.marks, marking);
        else put('work', id, markAgain(known, marking));
      },
    };
  }
}

function writeOf(document: Document, isStored: boolean): AnyBulkWriteOperation<Document> {
  if (!isStored) return { insertOne: { document } };
  const { _id, ...replacement } = document;
  return { replaceOne: { filter: { _id }, replacement } };
}

/** Returns a mark, set once more. A quarantined mark becomes due. */
function markAgain(before: Mark | null, { kind, subject, causes, due, whole }: SetMark): Mark {
  if (!before) return newMark(kind, subject, { causes, due, whole });
  const all = [...new Set([...(before.causes ?? []), ...causes])];
  const again =
    before.claim === undefined ? [] : [...new Set([...(before.again ?? []), ...causes])];
  return {
    ...before,
    token: randomUUID(),
    ...(isQuarantined(before) && { due }),
    ...(all.length > 0 && { causes: all }),
    ...(again.length > 0 && { again }),
    ...(whole && { whole }),
  };
}
