import { isMirrorAway } from '../../mirror/ownMirror.js';
import { setMarks } from '../../work/claims.js';
import type { IndexerDeps } from '../../deps.js';
import { ALL_KINDS } from '../../work/kinds.js';
import { finishAll, settled } from '../../work/runMarks.js';
import type { Difference } from '../difference.js';
import { REPAIR, REPAIR_CAUSE } from './cause.js';

/** Builds threads again. A thread that cannot be built is quarantined. */
export async function rebuildThreads(
  deps: IndexerDeps,
  found: readonly Pick<Difference, 'id'>[],
): Promise<void> {
  const ids = [...new Set(found.map(({ id }) => id))];
  await setMarks(deps, 'thread', ids, { ...REPAIR, whole: true });
  await settled(deps, REPAIR_CAUSE, undefined, { kind: 'thread' });
}

/**
 * Does marks that have waited too long. They are first set again with the cause of the repair, so that the repair also
 * waits for the work that follows. While the mirror is away, marks of the mirror are left as they are, because the
 * files that are found in its place may belong to another archive.
 */
export async function finishWaiting(deps: IndexerDeps, found: Difference[]): Promise<void> {
  const ids = found.map(({ id }) => id);
  const marks = await deps.collections.work.find({ _id: { $in: ids } }).toArray();
  for (const kind of ALL_KINDS) {
    const subjects = marks.filter((mark) => mark.kind === kind).map(({ subject }) => subject);
    if (subjects.length === 0 || (kind === 'mirror' && (await isMirrorAway(deps)))) continue;
    await setMarks(deps, kind, subjects, REPAIR);
    await finishAll(deps, kind, subjects);
  }
}
