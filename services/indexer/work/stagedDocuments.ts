import { randomUUID } from 'node:crypto';
import type { AnyBulkWriteOperation, ClientSession, Collection } from 'mongodb';
import type { Collections } from '../../../shared/store/collections.js';
import type { ErasedPeople } from '../../../shared/store/erasures.js';
import { AT_ONCE, isQuarantined, markId, newMark, type Mark } from '../../../shared/store/work.js';
import { slices } from '../records/slices.js';
import type { Change, Documents, Name, Stored } from './change.js';

/** How many documents one call writes. The process encodes them at once, and does nothing else meanwhile. */
const MOST_WRITTEN = 1_000;

/** What the decision of a change returned, or what it threw. */
export type Outcome = { value: unknown } | { error: unknown };

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
export class StagedDocuments {
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

  /** Writes what the changes have decided, and sets their marks. */
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
