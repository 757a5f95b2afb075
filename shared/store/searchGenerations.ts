import { randomUUID } from 'node:crypto';
import type { Filter } from 'mongodb';
import type { Collections } from './collections.js';
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

/** Matches where no rebuild runs or waits. */
const IDLE: Filter<SearchGenerations> = {
  $or: [
    { 'rebuild.state': { $nin: ['queued', 'running'] } },
    { 'rebuild.state': 'running', ...silentFor(LOST_AFTER_MS) },
    { 'rebuild.state': 'queued', ...silentFor(LOST_IN_QUEUE_AFTER_MS) },
  ],
};

/** The id of a rebuild that was just recorded, and the record of the rebuild that it has replaced. */
interface EnteredRebuild {
  id: string;
  before: SearchRebuild | undefined;
}

/**
 * Records a rebuild as queued. Throws RebuildRunning while another one runs or waits. Its times are those of MongoDB's
 * clock, because the clocks of processes differ.
 */
export async function enterRebuild({ state }: Store): Promise<EnteredRebuild> {
  const store = stateOf(state, 'search');
  const id = randomUUID();
  const rebuild = {
    id,
    state: 'queued',
    phase: 'scan',
    cursor: '',
    threads: 0,
    totalThreads: 0,
    documents: 0,
    mended: 0,
  } satisfies Partial<SearchRebuild>;
  // An upsert may not compare with MongoDB's clock. So the document is made first, where there is none.
  await store.updateOne({ _id: 'search' }, { $setOnInsert: { targets: [] } }, { upsert: true });
  const replaced = await store.findOneAndUpdate(
    { _id: 'search', ...IDLE },
    [
      { $set: { rebuild: { $literal: rebuild } } },
      { $set: { 'rebuild.requestedAt': '$$NOW' } },
      ALIVE,
    ],
    { returnDocument: 'before' },
  );
  if (replaced) return { id, before: replaced.rebuild };
  throw new RebuildRunning((await store.findOne({ _id: 'search' }))?.rebuild);
}

/** The stage of an update that shows that a rebuild is alive now, by MongoDB's clock. */
export const ALIVE = { $set: { 'rebuild.beatAt': '$$NOW' } };

/** Matches where a rebuild has not shown for so long (ms), by MongoDB's clock, that it is alive. */
export function silentFor(ms: number): Filter<SearchGenerations> {
  return { $expr: { $lte: ['$rebuild.beatAt', { $subtract: ['$$NOW', ms] }] } };
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
