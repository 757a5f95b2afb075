import { randomUUID } from 'node:crypto';
import { inspectExport } from '../../../shared/exportFormat/readExport.js';
import type { JobPayloads } from '../../../shared/jobs/jobs.js';
import { memoryBudget } from '../../../shared/platform/memoryBudget.js';
import { THREAD_QUARANTINED } from '../../../shared/store/quarantine.js';
import { deleteUpload, openUpload } from '../../../shared/store/uploads.js';
import type { ImportFileRecord } from '../../../shared/store/views.js';
import { markId, type Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { redactErasedThread } from '../build/redactErasedThread.js';
import { ingest } from '../ingest/ingest.js';
import { DeletedPlace } from '../ingest/source.js';
import { isPermanent } from '../permanentErrors.js';
import { removeUploadOfErased } from '../quarantine/removeUploadsOf.js';
import { bareFileName } from '../records/forgetFileNames.js';
import { sourceMessages, sourceThread } from '../sources/exportFile.js';
import { claimOwn, endMark, isHeld, isOwn, readsOf } from '../work/claims.js';
import type { Documents } from '../work/change.js';
import type { Failed } from '../work/quarantineMark.js';
import { finish } from '../work/runMarks.js';
import { finishMark, tryMarks, type Work } from '../work/tryMarks.js';
import { createTurns } from '../turns.js';

/** The most bytes of all files that are imported at the same time. A file is held in batches, and a small one whole. */
const BUDGET_BYTES = 32 << 20;
/** The most bytes that one file counts as: its batches are hardly larger, unless a message has very many reactions. */
const MOST_BYTES = 4 << 20;
/** A file counts as so many times its bytes, as a compressed file is inflated when it is read. */
const INFLATION = 8;

const budget = memoryBudget(BUDGET_BYTES);

function weightOf({ bytes }: ImportFileRecord): number {
  return Math.min(bytes * INFLATION, MOST_BYTES);
}

/** How a file ended. */
export type FileOutcome = Pick<
  ImportFileRecord,
  'state' | 'reason' | 'threadId' | 'messages' | 'name'
>;

/**
 * Imports one at a time those files whose import was begun before and did not end. One of them may kill the process. By
 * this order, it does not use up the tries of the others.
 */
const takeTurn = createTurns();

/**
 * Imports one stored export file, and builds its thread. It is done when everything of the file can be read. Then the
 * upload is deleted, and the file's record tells what became of it. A file that can never be imported is rejected. A
 * file that fails every time is quarantined: it is rejected, too, and its upload is kept for another try. Resolves with
 * null where there is no such file, and where its import has ended already, here or in another process. Throws when the
 * job is to be tried again.
 */
export async function importFile(
  deps: IndexerDeps,
  { uploadId }: JobPayloads['import-file'],
): Promise<FileOutcome | null> {
  const owner = randomUUID();
  const begun = await begin(deps, uploadId, owner);
  if (!begun) return null;
  const { file, own } = begun;
  const result: { ended: FileOutcome | null } = { ended: null };
  const work: Work = {
    async run(_deps, [mark]) {
      result.ended = await applyMarked(deps, file, mark!);
    },
    quarantine: () => Promise.resolve({ reads: { importFiles: [uploadId] }, store: rejectFile }),
  };
  if (own) await tryMarks(deps, work, [own]);
  if (result.ended) return result.ended;
  const isGone = await takeTurn('file', () => finishMark(deps, work, markId('file', uploadId)));
  if (isGone) return result.ended;
  await removeUploadOfErased(deps, uploadId);
  const { state, reason = '' } = (await deps.collections.importFiles.findOne({ _id: uploadId }))!;
  return { state, reason };
}

/**
 * Marks a file as begun and claims the mark. Where the import ends the process, the mark that is left tells which file
 * did. `own` is the claimed mark; null where the file was begun before, or is imported elsewhere at the same time.
 * Resolves with null where nothing is to be imported. A file that has ended gets no mark where its job runs again. If
 * the process died then, nobody would take that mark away.
 */
function begin(
  { commit }: IndexerDeps,
  uploadId: string,
  owner: string,
): Promise<{ file: ImportFileRecord; own: Mark | null } | null> {
  const _id = markId('file', uploadId);
  return commit({
    reads: { importFiles: [uploadId], work: [_id] },
    decide(documents) {
      const file = documents.get('importFiles', uploadId);
      const known = documents.get('work', _id);
      if (!file) return null;
      if (!known && file.state !== 'queued') return null;
      if (!known) documents.mark('file', uploadId);
      claimOwn(documents, 'file', uploadId, owner);
      const mark = documents.get('work', _id)!;
      return { file, own: isOwn(mark, owner) ? mark : null };
    },
  });
}

/** Carries out a begun import; null where the file has ended elsewhere meanwhile. */
async function applyMarked(
  deps: IndexerDeps,
  file: ImportFileRecord,
  mark: Mark,
): Promise<FileOutcome | null> {
  const outcome = await budget.within(weightOf(file), () => applyFile(deps, file)).catch(rejected);
  const noted = await endFile(deps, mark, outcome);
  if (noted) await deleteUpload(deps.collections, file._id);
  return noted;
}

/**
 * Notes how a file ended, and takes its mark away. Resolves with null where the claim was lost, or the file had ended
 * before.
 */
export function endFile(
  { commit }: Pick<IndexerDeps, 'commit'>,
  mark: Mark,
  outcome: FileOutcome,
): Promise<FileOutcome | null> {
  const { subject: uploadId } = mark;
  return commit({
    reads: { ...readsOf([mark]), importFiles: [uploadId] },
    decide(documents) {
      if (!isHeld(documents, mark)) return null;
      const { changed } = documents.get('work', mark._id)!;
      endMark(documents, mark);
      const file = documents.get('importFiles', uploadId);
      if (file?.state !== 'queued') return null;
      // An earlier try that was interrupted may have made the change.
      const isImported = outcome.state === 'unchanged' && changed;
      const ended = { ...changed, ...outcome, ...(isImported && { state: 'imported' as const }) };
      const { name, ...rest } = file;
      // Whoever handed in the file has to know which one was rejected.
      const named = ended.state === 'rejected' && name !== undefined ? { name } : {};
      documents.put('importFiles', { ...rest, ...named, ...ended, finishedAt: new Date() });
      return ended;
    },
  });
}

/** Notes that a file was rejected because its import fails every time. */
function rejectFile(
  documents: Documents,
  { subject, changed }: Mark,
  { reason, count }: Failed,
): void {
  const file = documents.get('importFiles', subject);
  if (!file) return;
  const said = `Quarantined after ${count} tries. ${reason}`;
  const ended = { state: 'rejected', reason: said, finishedAt: new Date() } as const;
  documents.put('importFiles', { ...file, ...changed, ...ended });
}

/** A permanent error becomes the file's outcome. Any other is thrown, so that the queue tries the job again. */
function rejected(error: unknown): FileOutcome {
  if (!isPermanent(error)) throw error;
  const outcome = { state: 'rejected', reason: error.message } as const;
  // The name under which the file was handed in holds the title of what was deleted.
  return error instanceof DeletedPlace ? { ...outcome, name: bareFileName(error.toldId) } : outcome;
}

/** Merges the file into the records, then builds its thread if it is marked, whoever marked it. */
async function applyFile(deps: IndexerDeps, record: ImportFileRecord): Promise<FileOutcome> {
  const { _id: uploadId, importId } = record;
  const open = () => openUpload(deps.collections, uploadId);
  const file = await inspectExport(open());
  if ('reason' in file) return { state: 'rejected', reason: file.reason };
  const { source: told, inferred } = sourceThread(file);
  const threadId = told.thread?._id;
  const fileMark = markId('file', uploadId);
  const owner = randomUUID();
  const source = {
    told,
    owner,
    causes: [`import/${importId}`],
    inferred,
  };
  const { isChanged, isDeleted } = await ingest(deps, source, sourceMessages(file, open), {
    reads: { work: [fileMark] },
    note(documents, isNew) {
      const now = documents.get('work', fileMark);
      if (!isNew || !now || now.changed) return;
      documents.put('work', { ...now, changed: { ...(threadId && { threadId }) } });
    },
  });
  const state = isChanged ? 'imported' : 'unchanged';
  const outcome = { state, messages: file.messages, ...(threadId && { threadId }) } as const;
  if (isDeleted) return { ...outcome, reason: 'The thread was deleted from this archive' };
  if (threadId === undefined) return outcome;
  await redactErasedThread(deps, threadId, source.causes);
  if (await finish(deps, 'thread', threadId, { owner })) return outcome;
  return { ...outcome, reason: THREAD_QUARANTINED };
}
