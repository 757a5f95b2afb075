import { ALL_SERVERS } from '../../../shared/store/bodyKinds.js';
import { pagesById } from '../../../shared/store/pagesById.js';
import { endRestore, readRestore } from '../../../shared/store/restore.js';
import { type WorkKind } from '../../../shared/store/work.js';
import { setMarks } from '../work/claims.js';
import { everybody } from '../build/people.js';
import type { IndexerDeps } from '../deps.js';
import { noteAllMade } from '../noteViews.js';
import type { Report } from '../report.js';
import { settled } from '../work/runMarks.js';
import { settleAndRefresh } from './removal.js';

const CAUSE = 'reindex-views/all';
/** How many threads are marked at once. When these are built, the next are marked. */
const THREADS = 1_000;

/** Builds every view and search document again from the records, while readers go on reading what was there. */
export async function reindexViews(
  deps: IndexerDeps,
  report: Report,
  { atOnce = THREADS }: { atOnce?: number } = {},
): Promise<{ threads: number }> {
  const { threads, servers } = deps.collections;
  // A restore that begins later writes records that this job does not see.
  const restore = await readRestore(deps.collections);
  const total = await threads.countDocuments();
  let done = 0;
  const projection = { _id: 1 };
  for await (const batch of pagesById(threads, { size: atOnce, projection })) {
    await mark(deps, 'thread', idsOf(batch));
    await settled(deps, CAUSE, undefined, { kind: 'thread' });
    report((done += batch.length), total);
  }
  // Profiles hold names that threads do not.
  for await (const people of everybody(deps.collections)) await mark(deps, 'person', people);
  const all = idsOf(await servers.find({}, { projection }).toArray());
  await mark(deps, 'server', [...all, ALL_SERVERS]);
  await settleAndRefresh(deps, CAUSE, all);
  await noteAllMade(deps);
  if (restore?.step === 'views') {
    // An API that served this archive before the restore may still hold answers from then.
    await deps.announcer.announceNow({ everything: true });
    await endRestore(deps.collections, restore);
  }
  return { threads: done };
}

async function mark(deps: IndexerDeps, kind: WorkKind, subjects: string[]): Promise<void> {
  await setMarks(deps, kind, subjects, { causes: [CAUSE], whole: true });
}

function idsOf(documents: readonly { _id: string }[]): string[] {
  return documents.map(({ _id }) => _id);
}
