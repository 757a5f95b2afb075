import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { nameOfKey } from '../../../shared/mirror/fileNames.js';
import { batches } from '../../../shared/platform/batches.js';
import { forEachAtOnce } from '../../../shared/platform/forEachAtOnce.js';
import { pagesById } from '../../../shared/store/pagesById.js';
import { readRestore } from '../../../shared/store/restore.js';
import { stateOf } from '../../../shared/store/state.js';
import { fileRecordId, syncOf, type SyncFile } from '../../../shared/store/syncRecords.js';
import { markId, type Mark } from '../../../shared/store/work.js';
import { everybody } from '../build/people.js';
import type { IndexerDeps } from '../deps.js';
import { setMarks } from '../work/claims.js';
import { changeRecords } from './fileRecords.js';
import type { Mirror } from './mirror.js';
import { isMirrorAway, note, requireOwnMirror } from './ownMirror.js';

/** The subject that stands for all that is mirrored. */
export const EVERYTHING = 'all';
/** For this long (ms), a file that was put into the mirror may still get its record. */
const RECENT_MS = 3_600_000;
const AT_ONCE = 8;

/**
 * Looks through the whole mirror. After a change of settings, it marks everything that may show files, and has files
 * that failed tried again. It removes files without a record, which a killed worker has left. It has missing files
 * copied again. While a restore goes on, it does nothing of that, because only views tell who is shown. It also does
 * nothing where the mirror belongs to another archive.
 */
export async function lookThrough(
  deps: IndexerDeps,
  mirror: Mirror,
  mark: Mark,
  now = new Date(),
): Promise<void> {
  if (await readRestore(deps.collections)) {
    deps.logger.info('The mirror is not looked through before the restore has built all views');
    return;
  }
  await requireOwnMirror(deps, mirror);
  const totals = await stateOf(deps.collections.state, 'mirror').findOne({ _id: 'mirror' });
  if (totals?.settings !== mirror.settings) {
    // No process has these settings. So nothing is copied until everything is marked.
    await note(deps, { settings: '' });
    await forgetFailures(deps, mark);
    await markEverything(deps);
    // Meanwhile a process without a mirror may have forgotten the settings, and then ended some of these marks. In that
    // case they stay forgotten, so that the next look marks everything again.
    await stateOf(deps.collections.state, 'mirror').updateOne(
      { _id: 'mirror', settings: '' },
      { $set: { settings: mirror.settings } },
    );
  }
  await removeOrphans(deps, mirror, new Date(now.getTime() - RECENT_MS));
  await copyMissing(deps, mirror, mark);
  await note(deps, { checkedAt: now });
}

/** How often (ms) the whole mirror is looked through, besides after changes. */
const LOOK_EVERY_MS = 86_400_000;

/**
 * Marks the whole mirror to be looked through, if that is due and the mirror answers. It is due once a day, and after a
 * change of settings. Without a mirror, it forgets the settings of the last one, so that a mirror which is turned on
 * later is looked through.
 */
export async function askToLookThrough(
  deps: Pick<IndexerDeps, 'collections' | 'commit' | 'logger' | 'mirror'>,
  now = new Date(),
): Promise<void> {
  const state = stateOf(deps.collections.state, 'mirror');
  const known = await state.findOne({ _id: 'mirror' });
  if (!deps.mirror) {
    if (known?.settings !== undefined || known?.problem !== undefined)
      await state.updateOne({ _id: 'mirror' }, { $unset: { settings: '', problem: '' } });
    return;
  }
  const isSame = known?.settings === deps.mirror.settings;
  const lookedAt = known?.checkedAt?.getTime() ?? 0;
  // A time that is yet to come was told by a clock that was ahead.
  if (isSame && Math.abs(now.getTime() - lookedAt) < LOOK_EVERY_MS) return;
  // An empty archive must stay without marks, because a restore needs an empty archive.
  if (await isMirrorAway(deps)) return;
  const mark = markId('mirror', EVERYTHING);
  await deps.commit({
    reads: { work: [mark] },
    decide(documents) {
      if (!documents.get('work', mark)) documents.mark('mirror', EVERYTHING);
    },
  });
}

async function forgetFailures(deps: IndexerDeps, mark: Mark): Promise<void> {
  const failed = syncOf(deps.collections.sync, 'file').find(
    { kind: 'file', problem: { $exists: true } },
    { projection: { _id: 1 } },
  );
  for await (const batch of batches(failed)) {
    const ids = batch.map(({ _id }) => _id);
    await changeRecords(deps, mark, ids, (now) => triedAnew(now));
  }
}

/**
 * Makes the record of a failed file due again. The copy of an earlier picture stays, and so does the problem, which
 * says that the copy is not the newest one. A file that was copied meanwhile is left as it is.
 */
function triedAnew(now: SyncFile | null): SyncFile | null | undefined {
  if (now?.problem === undefined) return undefined;
  const { tries: _tries, ...record } = now;
  return record.copy ? { ...record, dueAt: new Date(0) } : null;
}

async function markEverything(deps: IndexerDeps): Promise<void> {
  for await (const batch of batches(allSubjects(deps))) await setMarks(deps, 'mirror', batch);
}

/** Yields all that may show files. It may yield a subject twice. */
async function* allSubjects({ collections }: IndexerDeps): AsyncGenerator<string> {
  const { threads, servers, sync } = collections;
  const ids = { projection: { _id: 1 } } as const;
  for await (const { _id } of threads.find({}, ids)) yield `thread/${_id}`;
  for await (const { _id } of servers.find({}, ids)) yield `server/${_id}`;
  for await (const people of everybody(collections)) for (const id of people) yield `user/${id}`;
  // After an erasure, only this record may be left of a person.
  const known = syncOf(sync, 'file').find({ kind: 'file' }, { projection: { of: 1 } });
  for await (const { of } of known) yield of;
}

async function removeOrphans(
  { collections }: IndexerDeps,
  { files }: Mirror,
  putBefore: Date,
): Promise<void> {
  for await (const batch of batches(files.list())) {
    const old = batch.filter(({ putAt }) => putAt < putBefore);
    // A name that is no key was not put there by this service. Such a file stays.
    const named = old.flatMap(({ key }) => {
      const name = nameOfKey(key);
      return name === null ? [] : [{ key, id: fileRecordId(name) }];
    });
    const ids = { $in: named.map(({ id }) => id) };
    const records = await syncOf(collections.sync, 'file').find({ _id: ids }).toArray();
    const kept = new Set(records.map(({ copy }) => copy?.key));
    await files.remove(named.map(({ key }) => key).filter((key) => !kept.has(key)));
  }
  for (const name of await readdir(files.incoming)) {
    const path = join(files.incoming, name);
    const found = await stat(path).catch(() => null);
    if (found && found.mtime < putBefore) await rm(path, { force: true });
  }
}

async function copyMissing(deps: IndexerDeps, mirror: Mirror, mark: Mark): Promise<void> {
  const copied = { prefix: 'file/', filter: { copy: { $exists: true } } };
  for await (const batch of pagesById(syncOf(deps.collections.sync, 'file'), copied)) {
    const missing: SyncFile[] = [];
    await forEachAtOnce(batch, AT_ONCE, async (record) => {
      const { key, bytes } = record.copy!;
      if (!(await mirror.files.has(key, bytes))) missing.push(record);
    });
    if (missing.length === 0) continue;
    // If the mirror was unmounted meanwhile, every file seems to be missing.
    await requireOwnMirror(deps, mirror);
    const ids = missing.map(({ _id }) => _id);
    const keys = new Set(missing.map(({ copy }) => copy!.key));
    // The file may have been copied again meanwhile.
    await changeRecords(deps, mark, ids, (now) =>
      now?.copy && keys.has(now.copy.key) ? null : undefined,
    );
    await setMarks(
      deps,
      'mirror',
      missing.map(({ of }) => of),
    );
  }
}
