import { randomUUID } from 'node:crypto';
import type { Collection, Filter } from 'mongodb';
import { isDuplicateKey } from './duplicateKey.js';

/** How a rebuild of the search index stands. Kept until the next one is asked for. */
export interface SearchRebuild {
  id: string;
  state: 'queued' | 'running' | 'done' | 'failed';
  phase: 'scan' | 'verify' | 'swap' | 'done';
  requestedAt: Date;
  finishedAt?: Date;
  /** When its runner last saved its progress. */
  beatAt: Date;
  /** Changes with each process that runs the rebuild. Only the latest process may go on. */
  runner?: string;
  /** The index behind the alias before, and the one being built. */
  from?: string;
  to?: string;
  /** The last thread scanned; empty before the first. */
  cursor: string;
  /** Threads scanned so far, of how many, and the search documents written from them. */
  threads: number;
  totalThreads: number;
  documents: number;
  /** Threads whose documents differed when checked, and were written again. */
  mended: number;
  error?: string;
}

/** The one record of which search indexes are written to. */
export interface SearchGenerations {
  _id: 'search';
  /** Indexes that every write goes to; empty while that is the one behind the alias alone. */
  targets: string[];
  /** The index that was replaced, written to until then and dropped. */
  retained?: { index: string; until: Date };
  rebuild?: SearchRebuild;
}

interface Store {
  searchGenerations: Collection<SearchGenerations>;
}

/** A rebuild is running or waiting: there is one at a time. */
export class RebuildRunning extends Error {
  override readonly name = 'RebuildRunning';
}

/** A running rebuild without progress for so long (ms) counts as lost. One that waits in the queue is given longer. */
const LOST_AFTER_MS = 2 * 60_000;
const LOST_IN_QUEUE_AFTER_MS = 10 * 60_000;

/** Records a rebuild as queued and gives its id. Throws RebuildRunning while another one runs or waits. */
export async function enterRebuild(
  { searchGenerations }: Store,
  now = new Date(),
): Promise<string> {
  const id = randomUUID();
  const rebuild: SearchRebuild = {
    ...{ id, state: 'queued', phase: 'scan', requestedAt: now, beatAt: now, cursor: '' },
    ...{ threads: 0, totalThreads: 0, documents: 0, mended: 0 },
  };
  try {
    await searchGenerations.updateOne(
      { _id: 'search', ...idle(now) },
      { $set: { rebuild }, $setOnInsert: { targets: [] } },
      { upsert: true },
    );
    return id;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    const running = (await searchGenerations.findOne({ _id: 'search' }))?.rebuild;
    throw new RebuildRunning(
      `A rebuild of the search index is ${running?.state ?? 'running'} since ${running?.requestedAt.toISOString() ?? 'now'}`,
    );
  }
}

/** Ends a rebuild that could not be queued. */
export async function withdrawRebuild(
  { searchGenerations }: Store,
  id: string,
  error: string,
): Promise<void> {
  const ended = { 'rebuild.state': 'failed', 'rebuild.error': error } as const;
  await searchGenerations.updateOne(
    { _id: 'search', 'rebuild.id': id },
    { $set: { ...ended, 'rebuild.finishedAt': new Date() } },
  );
}

/** The rebuild with an id, while no later one has been asked for. */
export async function findRebuild(
  { searchGenerations }: Store,
  id: string,
): Promise<SearchRebuild | null> {
  const found = await searchGenerations.findOne({ _id: 'search', 'rebuild.id': id });
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
