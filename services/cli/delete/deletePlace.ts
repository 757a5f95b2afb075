import { fileDeletion } from '../../../shared/jobs/fileDeletion.js';
import { counted } from '../numbers.js';
import type { Archive } from '../openArchive.js';
import { amounts } from './amounts.js';
import { describePlace } from './describePlace.js';
import type { PlaceKind } from './placeKinds.js';
import { remove, type RemovalOptions } from './remove.js';
import type { Target } from './target.js';

/** Removes a thread, channel or server. */
export async function deletePlace(
  kind: PlaceKind,
  id: string,
  options: RemovalOptions,
): Promise<void> {
  const removal = {
    entry: deletionOf(kind, id),
    find: (archive: Archive) => findPlace(archive, kind, id),
    file: ({ mongo, producer }: Archive) =>
      fileDeletion(mongo.collections, producer, { kind, subject: id }),
    linesOf: removedLines,
  };
  await remove(removal, options);
}

/** The operation's name and parameters, which are the same as over HTTP, such as deleteThread. */
function deletionOf(
  kind: PlaceKind,
  id: string,
): { operation: string; params: Record<string, string> } {
  const operation = `delete${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  return { operation, params: { [`${kind}Id`]: id } };
}

async function findPlace({ mongo }: Archive, kind: PlaceKind, id: string): Promise<Target> {
  const { collections } = mongo;
  const unknown = await whyUnknown(collections, kind, id);
  return {
    ...(unknown === undefined ? {} : { unknown }),
    describe: () => describePlace(collections, kind, id),
  };
}

async function whyUnknown(
  { threads, channels, servers, deletions }: Archive['mongo']['collections'],
  kind: PlaceKind,
  id: string,
): Promise<string | undefined> {
  const found = {
    thread: () => threads.findOne({ _id: id }),
    channel: () => channels.findOne({ _id: id }),
    server: () => servers.findOne({ _id: id }),
  };
  const record = await found[kind]();
  // Only the record of a deleted place keeps it away. Without a record, an import may bring it.
  if (!record)
    return `There is no ${kind} ${id} in the archive. Nothing is remembered of it: an import may bring it`;
  // Where a deletion was cut off, or still waits, it may be requested again.
  if (!record.deleted || (await deletions.findOne({ kind, subject: id }))) return undefined;
  return `The ${kind} ${id} is deleted already`;
}

function removedLines({ threads = 0, messages = 0, files = 0 }: Record<string, number>): string[] {
  return [
    `Removed ${amounts({ thread: threads, message: messages })}`,
    ...(files > 0 ? [`Removed ${counted(files, 'quarantined upload')}`] : []),
    'Nothing of it can be read any more',
  ];
}
