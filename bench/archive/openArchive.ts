import { isDeepStrictEqual } from 'node:util';
import type { Collection } from 'mongodb';
import type { Mongo } from '../../shared/platform/clients.js';
import { ensureIndexes } from '../../shared/store/indexes.js';
import { ensureSearchIndex } from '../../shared/store/searchIndex.js';
import { createProgress } from '../../services/cli/progress.js';
import { removeSearchAndKeys } from '../../test/support/stores.js';
import { fillSearch, fillViews, threadViews, type OnStored } from './fillArchive.js';
import { generateThreads } from './generateThreads.js';
import type { BenchStores } from './openStores.js';

/** Which parts of a kept archive are complete. */
interface KeptArchive {
  _id: 'archive';
  messages: number;
  hasSearch: boolean;
}

type ArchiveStores = Pick<BenchStores, 'mongo' | 'elasticsearch' | 'redis'>;

/** How many threads are made again, to see whether the stored archive is still what today's code makes. */
const COMPARED_THREADS = 20;

/**
 * Makes sure that a database holds the generated archive of so many messages, and on request its search index. An
 * archive that is there is kept, unless today's code would store its first threads differently. It shows its progress.
 */
export async function openArchive(
  stores: ArchiveStores,
  { messages, withSearch }: { messages: number; withSearch: boolean },
): Promise<void> {
  const { mongo, elasticsearch } = stores;
  const kept = mongo.db.collection<KeptArchive>('benchArchive');
  if (!(await isCurrent(mongo, kept, messages))) {
    await removeArchive(stores);
    await showing('Filling MongoDB', messages, (onStored) =>
      fillViews(mongo.collections, messages, onStored),
    );
    await kept.insertOne({ _id: 'archive', messages, hasSearch: false });
  }
  await ensureIndexes(mongo.collections);
  const { hasSearch } = (await kept.findOne({ _id: 'archive' }))!;
  if (!withSearch || hasSearch) return;
  await removeSearchAndKeys(stores);
  await ensureSearchIndex(elasticsearch, mongo.namespace);
  await showing('Filling Elasticsearch', messages, (onStored) =>
    fillSearch(elasticsearch, mongo.namespace, messages, onStored),
  );
  await kept.updateOne({ _id: 'archive' }, { $set: { hasSearch: true } });
}

/** Removes an archive with its search indexes and its keys in Redis. */
export async function removeArchive(stores: ArchiveStores): Promise<void> {
  await removeSearchAndKeys(stores);
  await stores.mongo.db.dropDatabase();
}

/** Whether the archive was stored completely, and today's code would store its first threads in the same way. */
async function isCurrent(
  { collections }: Mongo,
  kept: Collection<KeptArchive>,
  messages: number,
): Promise<boolean> {
  if (!(await kept.findOne({ _id: 'archive', messages }))) return false;
  let compared = 0;
  for (const thread of generateThreads(messages)) {
    if (compared === COMPARED_THREADS) break;
    compared += 1;
    const { item, bodies } = threadViews(thread);
    const storedItem = await collections.threadItems.findOne({ _id: item._id });
    const stored = await collections.bodies.findOne({ _id: bodies[0]!._id });
    if (!isDeepStrictEqual(storedItem, item)) return false;
    if (stored?.etag !== bodies[0]!.etag || stored.renderer !== bodies[0]!.renderer) return false;
  }
  return true;
}

async function showing(
  label: string,
  messages: number,
  work: (onStored: OnStored) => Promise<void>,
): Promise<void> {
  const began = performance.now();
  const show = (done: number, all: number): string =>
    `${done.toLocaleString('en')} of ${all.toLocaleString('en')} messages`;
  const progress = createProgress(label, messages, show);
  try {
    await work((stored) => progress.advance(stored));
  } finally {
    progress.stop();
  }
  console.log(`${label}: done in ${((performance.now() - began) / 1_000).toFixed(0)} s`);
}
