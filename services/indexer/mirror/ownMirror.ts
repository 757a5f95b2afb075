import { randomBytes } from 'node:crypto';
import type { UpdateFilter } from 'mongodb';
import { nameOfKey } from '../../../shared/mirror/fileNames.js';
import { isStoreAway, isTimeLimit } from '../../../shared/platform/storeErrors.js';
import { withTimeout } from '../../../shared/platform/withTimeout.js';
import { stateOf, type MirrorState } from '../../../shared/store/state.js';
import { syncOf } from '../../../shared/store/syncRecords.js';
import type { IndexerDeps } from '../deps.js';
import { EMPTY } from './fileRecords.js';
import type { Mirror } from './mirror.js';

/** How long (ms) until a mirror that is away is looked at again. */
const AGAIN_MS = 30_000;
/** How long (ms) a mirror may take to tell its id. */
const ANSWER_MS = 10_000;
/** In a mirror without an id, the copies of so many records are looked for. */
const LOOKED_FOR = 20;

const NOT_OWN =
  'It is not of this archive, or its volume is not mounted: the log of the indexer says what to do';

type Deps = Pick<IndexerDeps, 'collections' | 'logger'>;

/**
 * Whether work on the mirror has to wait, because the mirror does not answer or belongs to another archive. The log and
 * the status say which. Without a mirror, nothing waits.
 */
export async function isMirrorAway(
  deps: Pick<IndexerDeps, 'collections' | 'logger' | 'mirror'>,
): Promise<boolean> {
  const { mirror } = deps;
  if (!mirror) return false;
  if (mirror.away.until > performance.now()) return true;
  const problem = await problemOf(deps, mirror);
  await noteProblem(deps, problem);
  if (problem === null) return false;
  mirror.away.until = performance.now() + AGAIN_MS;
  return true;
}

/** Why work on the mirror has to wait; null where it need not. The log has the details. */
async function problemOf(deps: Deps, mirror: Mirror): Promise<string | null> {
  try {
    return (await isOwnMirror(deps, mirror)) ? null : NOT_OWN;
  } catch (error) {
    if (isStoreAway(error)) throw error;
    deps.logger.warn({ err: error }, 'The mirror does not answer');
    return 'It does not answer';
  }
}

/** Stores the problem that the status shows, even where nothing was copied to the mirror yet. */
async function noteProblem(deps: Deps, problem: string | null): Promise<void> {
  if (problem !== null) {
    await note(deps, { problem });
    return;
  }
  const states = stateOf(deps.collections.state, 'mirror');
  const known = { _id: 'mirror', problem: { $exists: true } } as const;
  // It is read first, because any write, even one that changes nothing, waits for most members of the replica set.
  if (await states.findOne(known)) await states.updateOne(known, { $unset: { problem: '' } });
}

/** Stores that copies could not be removed or looked through, and when, by MongoDB's clock. */
export async function noteFailure(deps: Pick<Deps, 'collections'>): Promise<void> {
  await change(deps, { $currentDate: { failedAt: true } });
}

/** Stores what was found out about the mirror, beside its totals. */
export async function note(
  deps: Pick<Deps, 'collections'>,
  told: Partial<Omit<MirrorState, '_id'>>,
): Promise<void> {
  await change(deps, { $set: told });
}

async function change(
  { collections }: Pick<Deps, 'collections'>,
  update: UpdateFilter<MirrorState>,
): Promise<void> {
  const { _id, ...empty } = EMPTY;
  const orInsert = { ...update, $setOnInsert: empty };
  await stateOf(collections.state, 'mirror').updateOne({ _id }, orInsert, { upsert: true });
}

/** Throws where the mirror belongs to another archive. The log says why. */
export async function requireOwnMirror(deps: Deps, mirror: Mirror): Promise<void> {
  if (!(await isOwnMirror(deps, mirror))) throw new Error('The mirror is not of this archive');
}

/**
 * Whether the mirror belongs to this archive, which means that it holds the archive's id. A volume that is not mounted
 * holds no id, and neither does a wrong folder. A mirror without an id gets it in two cases: nothing was copied yet,
 * and the mirror is empty; or it holds a file that a record names, as an earlier version has left it. The folder in
 * which files arrive is made again where somebody, or a program that cleans the system's temporary folder, has removed
 * it.
 */
async function isOwnMirror(deps: Deps, mirror: Mirror): Promise<boolean> {
  const { files } = mirror;
  const archiveId = await archiveIdOf(deps);
  const owner = await ownerOf(mirror);
  if (owner === archiveId || (owner === null && (await isNewOrKnown(deps, files)))) {
    await files.makeIncoming();
    if (owner === null) await files.setOwner(archiveId);
    return true;
  }
  deps.logger.error(
    { archiveId, owner, place: files.ownerPlace },
    'The mirror is not of this archive, so nothing is copied there or removed: mount or restore the right one. To have this one used as it is, write archiveId into the file at place',
  );
  return false;
}

/**
 * The id that a mirror holds. Throws where the mirror does not answer within ANSWER_MS. A mirror may be a folder of
 * another machine. While that machine is away, a read of the folder may never end, and keeps one of the few threads
 * that the process has for files. So only one read is under way at a time, and later callers wait for the same one.
 */
async function ownerOf({ files, away }: Mirror): Promise<string | null> {
  const asked = (away.asked ??= files.owner().finally(() => (away.asked = null)));
  try {
    return await withTimeout(ANSWER_MS, () => asked);
  } catch (error) {
    throw isTimeLimit(error) ? new Error('The mirror does not answer in time') : error;
  }
}

async function archiveIdOf({ collections }: Deps): Promise<string> {
  const archives = stateOf(collections.state, 'archive');
  // It is read first, because a write waits for most members of the replica set, even if it changes nothing. An id that
  // most members have stored cannot be lost any more.
  const known = await archives.findOne({ _id: 'archive' }, { readConcern: { level: 'majority' } });
  if (known) return known.id;
  const record = await archives.findOneAndUpdate(
    { _id: 'archive' },
    { $setOnInsert: { id: randomBytes(16).toString('hex') } },
    { upsert: true, returnDocument: 'after' },
  );
  return record!.id;
}

async function isNewOrKnown({ collections }: Deps, files: Mirror['files']): Promise<boolean> {
  const copied = await syncOf(collections.sync, 'file')
    .find({ kind: 'file', copy: { $exists: true } })
    .limit(LOOKED_FOR)
    .toArray();
  for (const { copy } of copied) if (await files.has(copy!.key, copy!.bytes)) return true;
  if (copied.length > 0) return false;
  for await (const { key } of files.list()) if (nameOfKey(key) !== null) return false;
  return true;
}
