import type { Collection } from 'mongodb';
import type { Collections } from '../../../shared/store/collections.js';
import type { ErasedPeople } from '../../../shared/store/erasures.js';
import type { Marking, WorkKind } from '../../../shared/store/work.js';

/** The name of a collection. */
export type Name = keyof Collections;
/** The documents of the collection with this name. */
export type Stored<N extends Name> = Collections[N] extends Collection<infer T> ? T : never;

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
