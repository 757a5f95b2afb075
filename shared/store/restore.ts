import type { ClientSession } from 'mongodb';
import type { Collections } from './collections.js';
import { isDuplicateKey } from './duplicateKey.js';
import { stateOf, type RestoreState } from './state.js';

type State = Pick<Collections, 'state'>;

/** How long (ms) work waits before it looks again whether all records are restored. */
export const RESTORE_LOOK_MS = 2_000;

/** The restore that goes on, or was cut off, as the session sees it; null where there is none. */
export function readRestore(
  { state }: State,
  session?: ClientSession,
): Promise<RestoreState | null> {
  return stateOf(state, 'restore').findOne({ _id: 'restore' }, { ...(session && { session }) });
}

/**
 * Whether only a part of the records is there, because a restore still writes them, or was cut off. Nothing may work on
 * such an archive: what is not written yet would seem to be deleted.
 */
export async function isPartlyRestored(
  collections: State,
  session?: ClientSession,
): Promise<boolean> {
  return (await readRestore(collections, session))?.step === 'records';
}

/** Notes that a restore begins to write records. Resolves with null where another one goes on, or was cut off. */
export async function beginRestore({ state }: State): Promise<RestoreState | null> {
  const startedAt = new Date();
  const restore = { _id: 'restore', step: 'records', startedAt } as const;
  try {
    await stateOf(state, 'restore').insertOne(restore);
    return restore;
  } catch (error) {
    if (isDuplicateKey(error)) return null;
    throw error;
  }
}

/** Notes that all records are written. From now on work may begin, and all views are to be built. */
export async function endRecords({ state }: State): Promise<void> {
  await stateOf(state, 'restore').updateOne({ _id: 'restore' }, { $set: { step: 'views' } });
}

/** Notes that a restore has ended: all views are built, or nothing was restored. */
export async function endRestore(
  { state }: State,
  { _id, startedAt }: RestoreState,
): Promise<void> {
  await stateOf(state, 'restore').deleteOne({ _id, startedAt });
}

/** Says how far a restore is, and what to do where it was cut off. */
export function describeRestore({ step, startedAt }: RestoreState): string {
  const began = `It began at ${startedAt.toISOString()}, and has not`;
  return step === 'records'
    ? `${began} written all records: other work waits. Where no restore runs any more, drop the database and begin again`
    : `${began} built all views. Where no restore runs any more, run forum-archive reindex --views`;
}
