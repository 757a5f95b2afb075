import { readdir } from 'node:fs/promises';
import { batches } from '../../../shared/platform/batches.js';
import type { Mongo } from '../../../shared/platform/clients.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { ErasedPeople } from '../../../shared/store/erasures.js';
import { eraseNames } from '../../../shared/store/eraseText.js';
import { eraseFields, eraseThread } from '../../../shared/store/eraseThread.js';
import { MESSAGE_BATCH } from '../../../shared/store/messageBatch.js';
import { pagesById } from '../../../shared/store/pagesById.js';
import { withoutUnshown } from '../../../shared/store/withoutUnshown.js';
import { ERASED_ID } from '../../../shared/store/redacted.js';
import type { ThreadRecord } from '../../../shared/store/records.js';
import { realMicros } from '../../../shared/store/sourceTime.js';
import { CliError } from '../cliError.js';
import { forEachAtOnce } from '../../../shared/platform/forEachAtOnce.js';
import { endingInOrder } from '../endingInOrder.js';
import { createProgress, type Progress } from '../progress.js';
import { counted } from '../numbers.js';
import { makeFolder } from '../makeFolder.js';
import { requireWhole } from '../requireWhole.js';
import { createExportFiles, type ExportFiles } from './exportFiles.js';
import type { Place } from './findPlace.js';
import { findStart } from './findStart.js';
import { namesToErase } from './namesToErase.js';
import { withUnseen, type UnseenPeople } from './unseenPeople.js';

const THREADS_AT_ONCE = 4;
const ALIVE = { deleted: { $ne: true } };
/**
 * Pages are short. A person whose erasure is requested during the export is left out from the next page on, and so is a
 * forum that ceases to be public.
 */
const PAGES = { filter: ALIVE, size: 20 };

/** What an export wrote. */
export interface ExportSummary {
  threads: number;
  /** How many forums have no thread that is shown. Each is in a file of its own. */
  forums: number;
  messages: number;
  /** Ids of the threads that were left out because their server or channel is not recorded. */
  leftOut: string[];
  /** Ids of the threads that were left out because a record of theirs is damaged, or a message too large to import. */
  damaged: string[];
  seconds: number;
}

/**
 * Writes everything that is shown into a folder, in the extended form. The files are
 * `<server>/<channel>/<thread>.json`, where all names are ids. When it resolves, the disk holds them, also after a power
 * cut. The archive may change meanwhile. Throws CliError where the folder holds anything, unless forced, and where only
 * a part of the archive is restored.
 */
export async function exportArchive(
  { collections }: Pick<Mongo, 'collections'>,
  folder: string,
  { force }: { force: boolean },
): Promise<ExportSummary> {
  const began = performance.now();
  await requireEmpty(folder, force);
  await requireWhole({ collections });
  // What was deleted is counted, too. To count the others, MongoDB would read all threads in one call.
  const total = await collections.threads.estimatedDocumentCount();
  const written = await endingInOrder(async (signal) => {
    const progress = createProgress('Exporting', total, (done) => counted(done, 'thread'));
    try {
      const files = createExportFiles(folder, signal);
      return await writeAll({ collections }, files, { progress, signal });
    } finally {
      progress.stop();
    }
  });
  return { ...written, seconds: Math.round(performance.now() - began) / 1_000 };
}

async function writeAll(
  mongo: Pick<Mongo, 'collections'>,
  files: ExportFiles,
  running: { progress: Progress; signal: AbortSignal },
): Promise<Omit<ExportSummary, 'seconds'>> {
  const { inChannels, ...written } = await writeThreads(mongo, files, running);
  const forums = await writeForums(mongo, files, inChannels);
  await files.syncNames();
  return { ...written, forums };
}

async function requireEmpty(folder: string, force: boolean): Promise<void> {
  await makeFolder(folder);
  if (!force && (await readdir(folder)).length > 0) {
    throw new CliError(`${folder} is not empty: name another folder, or write into it by --force`);
  }
}

interface WrittenThreads extends Pick<
  ExportSummary,
  'threads' | 'messages' | 'leftOut' | 'damaged'
> {
  /** Ids of the channels that the file of a thread describes. */
  inChannels: Set<string>;
}

async function writeThreads(
  { collections }: Pick<Mongo, 'collections'>,
  files: ExportFiles,
  { progress, signal }: { progress: Progress; signal: AbortSignal },
): Promise<WrittenThreads> {
  const inChannels = new Set<string>();
  const [leftOut, damaged]: [string[], string[]] = [[], []];
  const written = { threads: 0, messages: 0, leftOut, damaged, inChannels };
  const threads = withUnseen(collections, pagesById(collections.threads, PAGES));
  await forEachAtOnce(threads, THREADS_AT_ONCE, async ({ record: thread, unseen, findPlace }) => {
    signal.throwIfAborted();
    const place = await findPlace(thread);
    if (place === 'unknown') leftOut.push(thread._id);
    // A hidden thread is no error. While a place is being deleted, its threads are deleted a little later than the
    // place.
    else if (place !== 'hidden') {
      const writing = writeThread(collections, files, thread, { place, unseen });
      const messages = await writing.catch(throwUndamaged);
      if (messages === 'damaged') damaged.push(thread._id);
      else if (messages !== null) {
        written.messages += messages;
        written.threads += 1;
        inChannels.add(thread.channelId);
      }
    }
    progress.advance(1);
  });
  return written;
}

/**
 * Returns 'damaged' for an error that comes from a value of a wrong type in a record. Stores and files fail with other
 * errors, which are thrown.
 */
function throwUndamaged(error: unknown): 'damaged' {
  if (error instanceof TypeError || error instanceof RangeError) return 'damaged';
  throw error;
}

/**
 * Writes a thread, and resolves with the number of messages. Resolves with null, and writes nothing, where all people
 * in the thread must not be shown.
 */
async function writeThread(
  collections: Pick<Collections, 'messages' | 'threads' | 'channels' | 'servers'>,
  files: ExportFiles,
  thread: ThreadRecord,
  { place, unseen: { unshown, pending } }: { place: Place; unseen: UnseenPeople },
): Promise<number | null> {
  const { _id: threadId, serverId, channelId } = thread;
  const start = await findStart(collections, thread, unshown);
  if (!start) return null;
  let written = 0;
  const read = collections.messages.find({ threadId, ...ALIVE }).sort({ order: 1 });
  const messages = (async function* () {
    for await (const batch of batches(read, MESSAGE_BATCH)) {
      const { shown } = await withoutUnshown(collections, unshown, serverId, batch);
      written += shown.length;
      yield* shown;
    }
  })();
  const clean = eraseThread(thread, unshown.erased);
  const names = await namesToErase(collections, thread, pending);
  const header = {
    ...clean,
    title: eraseNames(clean.title, names),
    // Without an owner, an import would take the author of the next message as the owner.
    ...(start.isOwnerUnshown && { ownerId: ERASED_ID }),
  };
  const content = {
    ...erasePlace(place, unshown.erased),
    asOf: realMicros(thread.asOf),
    messages,
    thread: header,
  };
  await files.write({ serverId, channelId, name: `${threadId}.json` }, content);
  return written;
}

/** Writes each shown channel that has no written thread. Resolves with how many channels it wrote. */
async function writeForums(
  { collections }: Pick<Mongo, 'collections'>,
  files: ExportFiles,
  inChannels: ReadonlySet<string>,
): Promise<number> {
  let forums = 0;
  const channels = withUnseen(collections, pagesById(collections.channels, PAGES));
  for await (const { record, unseen, findPlace } of channels) {
    const { _id: channelId, serverId, stamps } = record;
    if (inChannels.has(channelId)) continue;
    const place = await findPlace({ serverId, channelId });
    if (typeof place === 'string') continue;
    const asOf = realMicros(Math.max(0, ...Object.values(stamps)));
    const shown = erasePlace(place, unseen.unshown.erased);
    const content = { ...shown, thread: null, messages: [], asOf };
    await files.write({ serverId, channelId, name: 'forum.json' }, content);
    forums += 1;
  }
  return forums;
}

function erasePlace({ server, channel }: Place, erased: ErasedPeople): Place {
  return { server: eraseFields(server, erased), channel: eraseFields(channel, erased) };
}
