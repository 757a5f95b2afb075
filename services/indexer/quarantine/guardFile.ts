import { randomUUID } from 'node:crypto';
import { findGathered, writeAllGathered } from '../../../shared/store/gather.js';
import { isHeld } from '../../../shared/store/heldFile.js';
import type { ImportFileRecord } from '../../../shared/store/views.js';
import type { IndexerDeps } from '../deps.js';
import { isPassing } from '../permanentErrors.js';
import { createTurns } from './oneAtATime.js';
import { recordFailure } from './recordFailure.js';
import { MOST_TRIES } from '../work/runMarks.js';

type Deps = Pick<IndexerDeps, 'collections' | 'logger'>;

/** How a file ended. */
export type FileOutcome = Pick<ImportFileRecord, 'state' | 'reason' | 'threadId' | 'messages'>;

const ENDED = 'Its import ended the process';

/** Names this process: what it noted as running has not ended it. */
const PROCESS = randomUUID();

/** Files whose import is under way in this process. */
const underWay = new Set<Cut>();

/** A file, and the tries that count when its import is cut off for a reason that is not its own. */
interface Cut {
  uploadId: string;
  tries: number;
}

/** Of files whose import was cut off one is imported at a time, so that only the guilty one is counted. */
const takeTurn = createTurns();

/**
 * Imports a queued file so that one that always fails, or ends the process, is quarantined after MOST_TRIES: as rejected,
 * its upload kept for another try. A try counts when it failed for a reason of the file's own, or when it is found to be
 * running in a process that is not this one and was not stopped: no longer than until a store turns out to be away. The
 * first try costs nothing beside the note that it began. Resolves with null for a file that is held back, or is done,
 * if only meanwhile: the same file may be imported twice at once. Throws when the job is to be tried again.
 */
export async function guardFile(
  deps: Deps,
  uploadId: string,
  importIt: (file: ImportFileRecord) => Promise<FileOutcome | null>,
): Promise<FileOutcome | null> {
  const { importFiles } = deps.collections;
  const file = await findGathered(importFiles, uploadId);
  if (file?.state !== 'queued' || isHeld(file)) return null;
  if (!file.running) return attempt(deps, file, importIt);
  return takeTurn(async () => {
    const now = await importFiles.findOne({ _id: uploadId, state: 'queued' });
    const mayHaveEnded = now?.running && now.running !== PROCESS;
    return now && attempt(deps, now, importIt, mayHaveEnded ? 1 : 0);
  });
}

/** Says of files whose import is under way that it was not their fault: the process is stopped. */
export async function releaseFiles({
  importFiles,
}: Pick<IndexerDeps['collections'], 'importFiles'>): Promise<void> {
  for (const { uploadId, tries } of underWay) {
    await importFiles.updateOne(
      { _id: uploadId, state: 'queued', running: PROCESS },
      { $set: { running: null, tries } },
    );
  }
}

/**
 * Notes how a file ended. Resolves with null where it is rejected here and had ended already: one import has found
 * nothing left of what another has read, say.
 */
export async function endFile(
  { importFiles }: Pick<IndexerDeps['collections'], 'importFiles'>,
  uploadId: string,
  outcome: FileOutcome & { tries?: number },
): Promise<FileOutcome | null> {
  const ended = { ...outcome, finishedAt: new Date() };
  if (outcome.state === 'rejected') {
    const filter = { _id: uploadId, state: 'queued' as const };
    const { matchedCount } = await importFiles.updateOne(filter, { $set: ended });
    return matchedCount === 1 ? outcome : null;
  }
  await noteFile({ importFiles }, uploadId, ended);
  return outcome;
}

/** Changes what is kept of a file, unless it has ended. */
async function noteFile(
  { importFiles }: Pick<IndexerDeps['collections'], 'importFiles'>,
  uploadId: string,
  $set: Partial<ImportFileRecord>,
): Promise<void> {
  const filter = { _id: uploadId, state: 'queued' as const };
  await writeAllGathered(importFiles, [{ updateOne: { filter, update: { $set } } }]);
}

/** `cutOff`: tries that did not end, and are counted now. */
async function attempt(
  deps: Deps,
  file: ImportFileRecord,
  importIt: (file: ImportFileRecord) => Promise<FileOutcome | null>,
  cutOff = 0,
): Promise<FileOutcome | null> {
  const note = ($set: Partial<ImportFileRecord>) => noteFile(deps.collections, file._id, $set);
  const tries = (file.tries ?? 0) + cutOff;
  if (tries >= MOST_TRIES) return quarantineFile(deps, file, tries, ENDED);
  const cut: Cut = { uploadId: file._id, tries: tries - cutOff };
  underWay.add(cut);
  try {
    await note({ startedAt: new Date(), running: PROCESS, ...(tries > 0 && { tries }) });
    return await importIt(file);
  } catch (error) {
    if (isPassing(error)) {
      await note({ running: null, tries: cut.tries });
      throw error;
    }
    const failed = tries + 1;
    await note({ running: null, tries: failed });
    if (failed < MOST_TRIES) throw error;
    return await quarantineFile(deps, file, failed, String(error));
  } finally {
    underWay.delete(cut);
  }
}

async function quarantineFile(
  deps: Deps,
  { _id, threadId }: ImportFileRecord,
  tries: number,
  cause: string,
): Promise<FileOutcome | null> {
  const { importFiles } = deps.collections;
  if (!(await importFiles.findOne({ _id, state: 'queued' }))) return null;
  const failure = {
    kind: 'file' as const,
    subject: _id,
    threadId: threadId ?? null,
    revision: 0,
    count: tries,
  };
  await recordFailure(deps, { ...failure, reason: cause });
  const reason = `Quarantined after ${tries} tries. ${cause}`;
  return endFile(deps.collections, _id, { state: 'rejected', reason, tries });
}
