import { findGathered, writeAllGathered } from '../../../shared/store/gather.js';
import { isHeld } from '../../../shared/store/heldFile.js';
import type { ImportFileRecord } from '../../../shared/store/views.js';
import type { IndexerDeps } from '../deps.js';
import { isPassing } from '../permanentErrors.js';
import { BuildFault } from './guardBuild.js';
import { createTurns } from './oneAtATime.js';
import { recordFailure } from './recordFailure.js';
import { MOST_TRIES } from './tries.js';

type Deps = Pick<IndexerDeps, 'collections' | 'logger'>;

/** How a file ended. */
export type FileOutcome = Pick<ImportFileRecord, 'state' | 'reason' | 'threadId' | 'messages'>;

const ENDED = 'Its import ended the process';

/** Of files whose import was cut off one is imported at a time, so that only the guilty one is counted. */
const takeTurn = createTurns();

/**
 * Imports a queued file so that one that always fails, or ends the process, is set aside after MOST_TRIES: as rejected,
 * its upload kept for another try. The first try costs nothing beside the note that it began. Resolves with null for a
 * file that is done, or held back; throws when the job is to be tried again.
 */
export async function guardFile(
  deps: Deps,
  uploadId: string,
  importIt: (file: ImportFileRecord) => Promise<FileOutcome>,
): Promise<FileOutcome | null> {
  const { importFiles } = deps.collections;
  const file = await findGathered(importFiles, uploadId);
  if (file?.state !== 'queued' || isHeld(file)) return null;
  if (!file.running) return attempt(deps, file, importIt);
  return takeTurn(async () => {
    const now = await importFiles.findOne({ _id: uploadId, state: 'queued' });
    return now && attempt(deps, { ...now, tries: (now.tries ?? 0) + 1 }, importIt);
  });
}

/** Changes what is kept of a file. */
export async function noteFile(
  { importFiles }: Pick<IndexerDeps['collections'], 'importFiles'>,
  uploadId: string,
  $set: Partial<ImportFileRecord>,
): Promise<void> {
  await writeAllGathered(importFiles, [
    { updateOne: { filter: { _id: uploadId }, update: { $set } } },
  ]);
}

async function attempt(
  deps: Deps,
  file: ImportFileRecord,
  importIt: (file: ImportFileRecord) => Promise<FileOutcome>,
): Promise<FileOutcome> {
  const note = ($set: Partial<ImportFileRecord>) => noteFile(deps.collections, file._id, $set);
  const { tries = 0 } = file;
  if (tries >= MOST_TRIES) return setAside(deps, file, tries, ENDED);
  await note({ startedAt: new Date(), running: true, ...(tries > 0 && { tries }) });
  try {
    return await importIt(file);
  } catch (error) {
    const isOwn = !isPassing(error) && !(error instanceof BuildFault);
    const failed = tries + (isOwn ? 1 : 0);
    await note({ running: false, tries: failed });
    if (failed < MOST_TRIES) throw error;
    return setAside(deps, file, failed, String(error));
  }
}

async function setAside(
  deps: Deps,
  { _id, threadId }: ImportFileRecord,
  tries: number,
  cause: string,
): Promise<FileOutcome> {
  const failure = {
    kind: 'file' as const,
    subject: _id,
    threadId: threadId ?? null,
    revision: 0,
    count: tries,
  };
  await recordFailure(deps, { ...failure, reason: cause });
  const reason = `Set aside after ${tries} tries. ${cause}`;
  await noteFile(deps.collections, _id, {
    state: 'rejected',
    reason,
    tries,
    finishedAt: new Date(),
  });
  return { state: 'rejected', reason };
}
