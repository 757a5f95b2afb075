import type { Readable } from 'node:stream';

/** What a file is, beside its bytes. */
export interface FileFacts {
  bytes: number;
  /** Its media type. */
  type: string;
}

/**
 * The key under which a mirror holds the id of its archive. It sorts after all other keys. So whoever copies a mirror in
 * the order of its keys copies the id last, after all files.
 */
export const OWNER_KEY = 'owner/id';

/**
 * Where copies of files are kept, by key: a folder or a bucket. Archives whose databases have different names see their
 * own files only.
 */
export interface MirrorFiles {
  /**
   * A folder of this machine in which files arrive. Whoever has them arrive makes it. What is in it is no part of the
   * mirror yet.
   */
  incoming: string;
  /** Puts a file that has arrived whole at `path` under a key, and takes it away from there. */
  put(key: string, path: string, facts: FileFacts): Promise<void>;
  /**
   * A file of so many bytes; null where there is none. One that is shorter or longer was damaged. Sent under the length
   * that is recorded, it would run into the next answer of its connection.
   */
  open(key: string, bytes: number): Promise<Readable | null>;
  /** Whether there is such a file. */
  has(key: string, bytes: number): Promise<boolean>;
  /** Removes files; those that are not there are no error. */
  remove(keys: readonly string[]): Promise<void>;
  /** Every file, and when it was put. */
  list(): AsyncIterable<{ key: string; putAt: Date }>;
  /** The id of the archive that the mirror belongs to; null where it holds none. */
  owner(): Promise<string | null>;
  /** Puts the id of the archive that the mirror belongs to. */
  setOwner(archiveId: string): Promise<void>;
  /** Where that id is, as an operator would name the file. */
  ownerPlace: string;
}
