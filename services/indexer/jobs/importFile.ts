import {
  inspectExport,
  messagesOf,
  type ExportFile,
} from '../../../shared/exportFormat/readExport.js';
import type { JobPayloads } from '../../../shared/jobs/jobs.js';
import { findGathered } from '../../../shared/store/gather.js';
import { deleteUpload, openUpload } from '../../../shared/store/uploads.js';
import type { SourceThread, Stamps } from '../../../shared/store/records.js';
import type { ImportFileRecord } from '../../../shared/store/views.js';
import type { IndexerDeps } from '../deps.js';
import { isPermanent } from '../permanentErrors.js';
import { memoryBudget } from './memoryBudget.js';
import { projectThread } from '../project/projectThread.js';
import { endFile, guardFile, type FileOutcome } from '../quarantine/guardFile.js';
import { removeUploadOfErased } from '../quarantine/removeUploadsOf.js';
import { isQuarantined } from '../quarantine/tries.js';
import { redactThreads } from '../records/tombstones.js';
import { removeIfEmptied } from '../records/removeIfEmptied.js';
import { applyMessages } from '../records/applyMessages.js';
import { applySource, DeletedPlace, type AppliedThread } from '../records/applySource.js';
import { raiseRevision } from '../records/threadRevision.js';
import { propagateChannel, propagateServer } from '../project/propagateChanges.js';
import { sourceMessage, sourceThread, type MappedThread } from '../sources/exportFile.js';
import { dirtyServer, markDirty } from '../stores/dirtyMarks.js';

/** Bytes of files that are worked on at once: a file is held in batches, and a small one whole. */
const BUDGET_BYTES = 32 << 20;
/** What one file counts as at most: its batches are no larger, whatever its size. */
const MOST_BYTES = 4 << 20;
/** A compressed file is inflated as it is read. */
const INFLATION = 8;

const budget = memoryBudget(BUDGET_BYTES);

function weightOf({ bytes }: ImportFileRecord): number {
  return Math.min(bytes * INFLATION, MOST_BYTES);
}

/**
 * Applies one stored export file and builds its thread. Done when everything of it can be read; then the upload is
 * deleted and the file's record says what became of it. A file that can never be applied is recorded as rejected; one
 * that fails every time is set aside.
 */
export async function importFile(
  deps: IndexerDeps,
  { uploadId }: JobPayloads['import-file'],
): Promise<FileOutcome | null> {
  const ended = await guardFile(deps, uploadId, async (file) => {
    const outcome = await budget
      .within(weightOf(file), () => applyFile(deps, uploadId, file.startedAt))
      .catch(rejected);
    const noted = await endFile(deps.collections, uploadId, outcome);
    if (noted) await deleteUpload(deps.collections, uploadId);
    return noted;
  });
  if (ended?.state === 'rejected') await removeUploadOfErased(deps, uploadId);
  return ended;
}

/** An error that will come again is an outcome; any other is thrown, so that the job is tried again. */
function rejected(error: unknown): FileOutcome {
  if (!isPermanent(error)) throw error;
  return { state: 'rejected', reason: (error as Error).message };
}

/** `cutOffAt`: when an earlier try began that did not end. */
async function applyFile(
  deps: IndexerDeps,
  uploadId: string,
  cutOffAt: Date | undefined,
): Promise<FileOutcome> {
  const file = await inspectExport(openUpload(deps.collections, uploadId));
  if ('reason' in file) return { state: 'rejected', reason: file.reason };
  const { source, inferred } = sourceThread(file);
  const applied = await applySource(
    deps.collections,
    source,
    inferredStamps(source, inferred),
  ).catch(async (error: unknown) => {
    if (error instanceof DeletedPlace) await redactThread(deps, source);
    throw error;
  });
  const thread = await applyThread(deps, uploadId, { file, applied: applied.thread, cutOffAt });
  await propagateServer(deps, source.server._id, applied.server);
  await propagateChannel(deps, source.channel, applied.channel);
  if (applied.thread?.newer)
    await markDirty(deps.collections.dirty, [dirtyServer(source.server._id)]);
  const state = applied.channel.changed || thread.changed ? 'imported' : 'unchanged';
  return { state, messages: file.messages, ...thread.outcome };
}

/** A job that was cut off may have left words behind, in a thread that the deletion of its place had passed. */
async function redactThread({ collections }: IndexerDeps, { thread }: SourceThread): Promise<void> {
  if (thread) await redactThreads(collections.messages, [thread._id]);
}

/**
 * Where a channel's type is only likely, a thread that was started from a message (which forums do not have) is better
 * evidence of a text channel than its absence is of a forum.
 */
function inferredStamps(source: SourceThread, inferred: MappedThread['inferred']): Stamps {
  return Object.fromEntries(inferred.map((name) => [name, source.channel[name] === 0 ? 1 : 0]));
}

/** Merges the messages, then builds the thread if it has a mark, whoever set it. */
async function applyThread(
  deps: IndexerDeps,
  uploadId: string,
  {
    file,
    applied,
    cutOffAt,
  }: { file: ExportFile; applied: AppliedThread | null; cutOffAt: Date | undefined },
): Promise<{ changed: boolean; outcome: Partial<FileOutcome> }> {
  if (!applied) return { changed: false, outcome: {} };
  const { threadId, deleted } = applied;
  const { messages, threads } = deps.collections;
  if (deleted) {
    // A job that was cut off just after it had lost a race against the deletion may have left words behind.
    await redactThreads(messages, [threadId]);
    const reason = 'The thread was deleted from this archive';
    return { changed: false, outcome: { threadId, reason } };
  }
  const said = await applyFileMessages(deps, uploadId, file, threadId);
  const left = cutOffAt && (await leftBehind(deps, threadId, cutOffAt));
  if (said || left?.isUnbuilt) await raiseRevision(threads, threadId);
  await removeIfEmptied(deps.collections, [threadId]);
  const isShown = await projectThread(deps, threadId);
  const reason = 'Its thread was set aside: it could not be built';
  return {
    changed: said || applied.changed || (left?.isChanged ?? false),
    outcome: isShown ? { threadId } : { threadId, reason },
  };
}

/**
 * What may be left of a job that was cut off. It may have written messages after its mark had been taken by somebody
 * else's build; of a thread that was set aside nothing new is to be built, only what failed before.
 */
async function leftBehind(
  { collections }: IndexerDeps,
  threadId: string,
  began: Date,
): Promise<{ isUnbuilt: boolean; isChanged: boolean }> {
  const thread = await findGathered(collections.threads, threadId);
  if (!thread) return { isUnbuilt: false, isChanged: false };
  return {
    isUnbuilt: !isQuarantined(thread),
    isChanged: thread.revision >= began.getTime() * 1_000,
  };
}

async function applyFileMessages(
  deps: IndexerDeps,
  uploadId: string,
  file: ExportFile,
  threadId: string,
): Promise<boolean> {
  let changed = false;
  const reopen = () => openUpload(deps.collections, uploadId);
  for await (const batch of messagesOf(file, reopen)) {
    const messages = batch.map((message) => sourceMessage(message, file));
    if (await applyMessages(deps.collections, threadId, messages)) changed = true;
  }
  return changed;
}
