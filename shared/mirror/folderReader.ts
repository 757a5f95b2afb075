import { open, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { isTimeLimit } from '../platform/storeErrors.js';
import { withTimeout } from '../platform/withTimeout.js';
import { absent } from './absent.js';
import type { BytePart } from './bytePart.js';
import { READER_WAITS_MS } from './mirrorFiles.js';

/**
 * How many operations on the folder are under way at once, at most. The folder may be on another machine. While that
 * machine is away, an operation may never end. Each operation takes one of the four threads by which the process also
 * compresses data and looks up the names of hosts. So two threads are always left for that.
 */
const AT_ONCE = 2;
const PIECE_BYTES = 65_536;

/**
 * Opens a file that has so many bytes, or a part of it; null where there is none. Throws where the folder does not
 * answer in time.
 */
export type OpenFile = (path: string, bytes: number, part?: BytePart) => Promise<Readable | null>;

/** Makes what reads the files of a folder. */
export function createFolderReader(): OpenFile {
  const operations = new Operations();
  return async (path, bytes, part = { from: 0, to: bytes - 1 }) => {
    if (operations.areStuck) throw silent();
    const drop = (late: FileHandle | null): void => {
      if (late) operations.run(() => late.close()).catch(() => undefined);
    };
    try {
      const asked = () => operations.run(() => openWhole(path, bytes));
      const file = await withTimeout(READER_WAITS_MS, asked, drop);
      return file && streamOf(file, part, operations);
    } catch (error) {
      throw isTimeLimit(error) ? silent() : error;
    }
  };
}

function silent(): Error {
  return new Error('The folder does not answer in time');
}

async function openWhole(path: string, bytes: number): Promise<FileHandle | null> {
  const file = await open(path).catch(absent);
  if (!file) return null;
  let isWhole = false;
  try {
    isWhole = (await file.stat()).size === bytes;
  } finally {
    if (!isWhole) await file.close();
  }
  return isWhole ? file : null;
}

/** A part of a file. It closes the file at its end, and when it is destroyed. */
function streamOf(file: FileHandle, { from, to }: BytePart, operations: Operations): Readable {
  let at = from;
  return new Readable({
    highWaterMark: PIECE_BYTES,
    read() {
      const length = Math.min(PIECE_BYTES, to + 1 - at);
      if (length === 0) {
        this.push(null);
        return;
      }
      const piece = Buffer.allocUnsafe(length);
      operations
        .run(() => file.read(piece, { position: at }))
        .then(
          ({ bytesRead }) => {
            at += bytesRead;
            this.push(bytesRead === 0 ? null : piece.subarray(0, bytesRead));
          },
          (error: unknown) => this.destroy(error as Error),
        );
    },
    destroy(error, done) {
      operations
        .run(() => file.close())
        .then(
          () => done(error),
          (failed: unknown) => done(error ?? (failed as Error)),
        );
    },
  });
}

/** Lets AT_ONCE operations be under way at once. Others wait, in the order in which they came. */
class Operations {
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;
  #movedAt = 0;

  /** Whether all that are under way have taken longer than a reader waits. */
  get areStuck(): boolean {
    return this.#underWay === AT_ONCE && performance.now() - this.#movedAt > READER_WAITS_MS;
  }

  async run<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#underWay < AT_ONCE) this.#underWay += 1;
    else await new Promise<void>((begin) => this.#waiting.push(begin));
    this.#movedAt = performance.now();
    try {
      return await operation();
    } finally {
      this.#movedAt = performance.now();
      const next = this.#waiting.shift();
      if (next) next();
      else this.#underWay -= 1;
    }
  }
}
