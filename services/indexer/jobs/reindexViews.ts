import type { IndexerDeps } from '../deps.js';
import { markAllDirty } from '../project/markAllDirty.js';
import { settle } from '../project/settle.js';
import { projectThread } from '../project/projectThread.js';
import { raiseRevision } from '../records/threadRevision.js';
import { dirtyUser } from '../stores/dirtyMarks.js';
import type { Report } from '../report.js';

const BATCH = 16;

/** Builds every view and search document again from the records, while readers go on reading what was there. */
export async function reindexViews(
  deps: IndexerDeps,
  report: Report,
): Promise<{ threads: number }> {
  const { threads, servers } = deps.collections;
  const total = await threads.countDocuments();
  let done = 0;
  for (let last = ''; ;) {
    const batch = await threads
      .find({ _id: { $gt: last } }, { projection: { _id: 1 } })
      .sort({ _id: 1 })
      .limit(BATCH)
      .toArray();
    if (batch.length === 0) break;
    last = batch.at(-1)!._id;
    await Promise.all(
      batch.map(async ({ _id }) => {
        await raiseRevision(threads, _id);
        await projectThread(deps, _id);
      }),
    );
    report((done += batch.length), total);
  }
  await markPeople(deps);
  const all = await servers.find({}, { projection: { _id: 1 } }).toArray();
  await settle(
    deps,
    { _id: { $in: [] } },
    all.map(({ _id }) => _id),
  );
  return { threads: done };
}

/** Profiles hold names that threads do not. */
async function markPeople({ collections: { users, dirty } }: IndexerDeps): Promise<void> {
  const everyone = users.find({}, { projection: { _id: 1 } });
  await markAllDirty(dirty, everyone, ({ _id }) => dirtyUser(_id));
}
