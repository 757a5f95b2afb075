import { randomUUID } from 'node:crypto';
import type { Collection, Document } from 'mongodb';
import { ALIVE } from '../../../shared/store/searchGenerations.js';
import type { SearchGenerations, SearchRebuild } from '../../../shared/store/state.js';

type Store = Collection<SearchGenerations>;
type Written = Partial<Pick<SearchGenerations, 'targets' | 'retained' | 'generation'>>;

/** How often (ms) a running rebuild shows that it is alive. */
const BEAT_MS = 10_000;

/** Another process has taken the rebuild over, or a later rebuild was asked for. So this run must stop. */
export class RebuildTaken extends Error {
  override readonly name = 'RebuildTaken';
}

/** The record of a rebuild in the hands of the process that runs it. */
export interface RebuildRecord {
  /** The number of the generation that was begun last, before this process took the record. */
  lastGeneration: number;
  /** The record as it was last saved. */
  current(): SearchRebuild;
  /**
   * Changes the record, and which indexes are written to. Throws RebuildTaken, and changes nothing, where another
   * process has taken the record.
   */
  save(change: Partial<SearchRebuild>, written?: Written): Promise<void>;
  /** Ends showing that the rebuild is alive. */
  release(): void;
}

/**
 * Takes the record of a rebuild, also from a process that died. Null where the rebuild has ended, or a later one
 * replaced it.
 */
export async function takeRebuild(store: Store, id: string): Promise<RebuildRecord | null> {
  const runner = randomUUID();
  const taken = await store.findOneAndUpdate(
    { _id: 'search', 'rebuild.id': id, 'rebuild.state': { $in: ['queued', 'running'] } },
    [{ $set: { 'rebuild.runner': runner, 'rebuild.state': 'running' } }, ALIVE],
    { returnDocument: 'after' },
  );
  if (!taken?.rebuild) return null;
  let rebuild = taken.rebuild;
  const write = async (update: Document[]): Promise<void> => {
    const { matchedCount } = await store.updateOne(
      { _id: 'search', 'rebuild.id': id, 'rebuild.runner': runner },
      update,
    );
    if (matchedCount === 0) throw new RebuildTaken('The rebuild was taken over');
  };
  const beat = setInterval(() => {
    // After a failure, the next beat follows. A rebuild that was taken over ends when it is saved.
    write([ALIVE]).catch(() => undefined);
  }, BEAT_MS);
  return {
    lastGeneration: taken.generation ?? 0,
    current: () => rebuild,
    async save(change, written = {}) {
      const next = { ...rebuild, ...change };
      await write([{ $set: { rebuild: { $literal: next }, ...written } }, ALIVE]);
      rebuild = next;
    },
    release: () => clearInterval(beat),
  };
}
