import type { SourceThread, Stamps } from '../../../shared/store/records.js';

/** A source: what it says of a server, a channel and perhaps a thread, with the thread's messages beside it. */
export interface Source {
  told: SourceThread;
  /** When its server and channel were told, where that was not when its thread was. */
  placeAsOf?: number;
  /** Stamps of channel fields that it only implies: below every real time, so that what is told outright wins. */
  inferred?: Stamps;
  /** What waits for everything that follows from it, such as `import/ID`. */
  causes?: readonly string[];
  /** Who builds the thread at once when it changes. */
  claim?: string;
}

/** A source tells of a server or channel that was deleted here: nothing of it is taken. */
export class DeletedPlace extends Error {
  override readonly name = 'DeletedPlace';
  /** The thread that the source tells of; its channel where it tells of none. */
  readonly toldId: string;

  constructor(kind: 'server' | 'channel', { thread, channel }: SourceThread) {
    super(`The ${kind} was deleted from this archive`);
    this.toldId = (thread ?? channel)._id;
  }
}

/** A source says something that contradicts what is recorded; retrying cannot help. */
export class SourceConflict extends Error {
  override readonly name = 'SourceConflict';
}
