import { randomUUID } from 'node:crypto';
import type { Filter } from 'mongodb';
import type { Collections } from './collections.js';
import { isDuplicateKey } from './duplicateKey.js';
import { stateOf, type SearchGenerations, type SearchRebuild } from './state.js';

type Store = Pick<Collections, 'state'>;

/** Thrown where a rebuild already runs or waits. There is one at a time. */
export class RebuildRunning extends Error {
  override readonly name = 'RebuildRunning';
  readonly rebuildId: string | undefined;

  constructor(running: SearchRebuild | undefined) {
    const { state = 'running', requestedAt } = running ?? {};
    super(`A rebuild of the search index is ${state} since ${requestedAt?.toISOString() ?? 'now'}`);
    this.rebuildId = running?.id;
  }
}

/**
 * A running rebuild counts as lost after so long (ms) without progress. One that waits in the queue is given longer.
 */
const LOST_AFTER_MS = 2 * 60_000;
const LOST_IN_QUEUE_AFTER_MS = 10 * 60_000;

/** The id of a rebuild that was just recorded, and the record of the rebuild that it has replaced. */
interface EnteredRebuild {
  id: string;
  before: SearchRebuild | undefined;
}

/** Records a rebuild as queued. Throws RebuildRunning while another one runs or waits. */
export async function enterRebuild({ state }: Store, now = new Date()): Promise<EnteredRebuild> {
  const id = randomUUID();
  const rebuild: SearchRebuild = {
    id,
    state: 'queued',
    phase: 'scan',
    requestedAt: now,
    beatAt: now,
    cursor: '',
    threads: 0,
    totalThreads: 0,
    documents: 0,
    mended: 0,
  };
  try {
    const replaced = await stateOf(state, 'search').findOneAndUpdate(
      { _id: 'search', ...idle(now) },
      { $set: { rebuild }, $setOnInsert: { targets: [] } },
      { upsert: true, returnDocument: 'before' },
    );
    return { id, before: replaced?.rebuild };
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    throw new RebuildRunning((await stateOf(state, 'search').findOne({ _id: 'search' }))?.rebuild);
  }
}

/**
 * Takes back a rebuild whose job could not be filed, by storing the record of the rebuild before it again. The process
 * of that earlier rebuild may have died. Then its index is half filled, and every write still goes to it. With its
 * record, the earlier rebuild is completed when its job is filed again.
 */
export async function withdrawRebuild(
  { state }: Store,
  { id, before }: EnteredRebuild,
): Promise<void> {
  await stateOf(state, 'search').updateOne(
    { _id: 'search', 'rebuild.id': id },
    before ? { $set: { rebuild: before } } : { $unset: { rebuild: '' } },
  );
}

/** The rebuild with an id; null once a later one has been asked for. */
export async function findRebuild({ state }: Store, id: string): Promise<SearchRebuild | null> {
  const found = await stateOf(state, 'search').findOne({ _id: 'search', 'rebuild.id': id });
  return found?.rebuild ?? null;
}

/** How far a rebuild has come, 0 to 1. */
export function rebuildProgress({ phase, threads, totalThreads }: SearchRebuild): number {
  if (phase === 'done') return 1;
  if (phase !== 'scan') return 0.95;
  return totalThreads === 0 ? 0 : Math.min(0.9, (0.9 * threads) / totalThreads);
}

function idle(now: Date): Filter<SearchGenerations> {
  const before = (ms: number): Date => new Date(now.getTime() - ms);
  return {
    $or: [
      { 'rebuild.state': { $nin: ['queued', 'running'] } },
      { 'rebuild.state': 'running', 'rebuild.beatAt': { $lt: before(LOST_AFTER_MS) } },
      { 'rebuild.state': 'queued', 'rebuild.beatAt': { $lt: before(LOST_IN_QUEUE_AFTER_MS) } },
    ],
  };
}
