import { PlatformAnswerError, PlatformRefused } from '../../shared/discordApi/platformErrors.js';
import { ExportError } from '../../shared/exportFormat/exportError.js';
import { isStoreAway } from '../../shared/platform/storeErrors.js';
import { MissingPieceError } from '../../shared/store/pieces.js';
import { DeletedPlace, SourceConflict } from './ingest/source.js';
import { NotSynced } from './sync/syncProblem.js';
import { NotAnnounced } from './stores/announcer.js';
import { SearchUnavailable } from './stores/sendBulk.js';
import { ProcessStops } from './work/commit.js';

/**
 * Whether an error will come again however often a job is tried, because its input is wrong, or the platform refuses
 * it.
 */
export function isPermanent(error: unknown): error is Error {
  const kinds = [
    ExportError,
    SourceConflict,
    DeletedPlace,
    PayloadError,
    MissingPieceError,
    RebuildFailed,
    SearchIndexLost,
    NotSynced,
    PlatformRefused,
    PlatformAnswerError,
  ];
  return kinds.some((kind) => error instanceof kind);
}

/**
 * Whether an error says that a store is away or busy, or that this process stops. The same work will succeed later.
 */
export function isTransient(error: unknown): boolean {
  const kinds = [SearchUnavailable, NotAnnounced, ProcessStops];
  return kinds.some((kind) => error instanceof kind) || isStoreAway(error);
}

/** A new search index could not be filled correctly. It was dropped, and the old one stays. */
export class RebuildFailed extends Error {
  override readonly name = 'RebuildFailed';
}

/** There is no search index. */
export class SearchIndexLost extends Error {
  override readonly name = 'SearchIndexLost';

  constructor() {
    super(
      'The search index is lost: a running indexer builds it again, and notices the loss within a minute',
    );
  }
}

/**
 * A job waits for something else. The queue is to run it again after `afterMs` milliseconds. Meanwhile it takes no
 * place of the worker.
 */
export class LookAgain extends Error {
  override readonly name = 'LookAgain';
  readonly afterMs: number;

  constructor(afterMs: number) {
    super('It waits for something else');
    this.afterMs = afterMs;
  }
}

/** A job's payload does not fit its name. */
export class PayloadError extends Error {
  override readonly name = 'PayloadError';
}
