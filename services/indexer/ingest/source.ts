import type { SourceThread, Stamps } from '../../../shared/store/records.js';

/** What a source says of a server, a channel and perhaps a thread. The messages of the thread come separately. */
export interface Source {
  told: SourceThread;
  /** When its server and channel were told (microseconds); absent where that was when its thread was told. */
  placeAsOf?: number;
  /**
   * Stamps of channel fields that the source only implies. They are earlier than every real time, so a value that is
   * told outright wins.
   */
  inferred?: Stamps;
  /** The requests that wait for everything that follows from the source, such as `import/ID`. */
  causes?: readonly string[];
  /** For whom the thread's mark is claimed when the thread changes: whoever builds it at once. */
  owner?: string | undefined;
  /** When the thread is to be built, if it is not marked yet; at once where absent. */
  due?: Date | undefined;
}

/** Thrown where a source tells of a server or channel that was deleted here. Nothing more of the source is taken. */
export class DeletedPlace extends Error {
  override readonly name = 'DeletedPlace';
  /** The thread that the source tells of; its channel where it tells of none. */
  readonly toldId: string;

  constructor(kind: 'server' | 'channel', { thread, channel }: SourceThread) {
    super(`The ${kind} was deleted from this archive`);
    this.toldId = (thread ?? channel)._id;
  }
}

/** Thrown where a source contradicts what is recorded. Trying again cannot help. */
export class SourceConflict extends Error {
  override readonly name = 'SourceConflict';
}
