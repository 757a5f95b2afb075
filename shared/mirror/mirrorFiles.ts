import type { Readable } from 'node:stream';
import type { BytePart } from './bytePart.js';

/** What is known of a file, besides its bytes. */
export interface FileFacts {
  bytes: number;
  /** Its media type, without parameters. */
  type: string;
}

/**
 * The key under which a mirror holds the id of its archive. It sorts after all other keys. So a copy of the mirror that
 * is made in the order of keys gets the id last, after all files.
 */
export const OWNER_KEY = 'owner/id';

/** The longest that a reader waits for a mirror (ms). After that, the platform's own link is given out. */
export const READER_WAITS_MS = 1_500;

/**
 * Where copies of files are kept, by key: a folder or a bucket. Archives whose databases have different names do not
 * see each other's files.
 */
export interface MirrorFiles {
  /** A folder of this machine into which files are downloaded. Files in it do not belong to the mirror yet. */
  incoming: string;
  /** Makes that folder where there is none. Throws where it cannot be used. */
  makeIncoming(): Promise<void>;
  /** Stores a file that was downloaded whole. It may be gone from `path` then. Otherwise the caller removes it there. */
  put(key: string, path: string, facts: FileFacts): Promise<void>;
  /**
   * The content, or a part of it, of a file that has `bytes` bytes; null where there is none. A file of another length
   * is damaged, and gives null, too: an answer that announces the recorded length would not match its body. Throws
   * where the mirror does not answer within READER_WAITS_MS.
   */
  open(key: string, bytes: number, part?: BytePart): Promise<Readable | null>;
  /** Whether there is a file of so many bytes. */
  has(key: string, bytes: number): Promise<boolean>;
  /** Removes files. A file that does not exist is no error. */
  remove(keys: readonly string[]): Promise<void>;
  /** All files, and when each was put. */
  list(): AsyncIterable<{ key: string; putAt: Date }>;
  /** The id of the archive that owns the mirror; null where the mirror holds none. */
  owner(): Promise<string | null>;
  /** Stores the id of the archive that owns the mirror. */
  setOwner(archiveId: string): Promise<void>;
  /** The path or address of that id, for messages to an operator. */
  ownerPlace: string;
}
