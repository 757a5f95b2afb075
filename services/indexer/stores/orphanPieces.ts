import type { Collections } from '../../../shared/store/collections.js';
import {
  bodyOf,
  findOrphans,
  removePieces,
  uploadOf,
  uploadOwner,
  type Owned,
} from '../../../shared/store/pieces.js';
import { markId } from '../../../shared/store/work.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** The ranges of all owners that are bodies, and that are uploads. */
const BODIES = { from: 'body/', before: 'body0' };
const UPLOADS = { from: 'upload/', before: 'upload0' };

type UploadStore = Pick<Collections, 'pieces' | 'importFiles' | 'work'>;
type BodyStore = Pick<Collections, 'pieces' | 'bodies' | 'work'>;

/**
 * Removes pieces that writers have left when they were interrupted: of uploads that were begun more than a day ago and
 * that no file needs, and of bodies that are older than the stored body. Returns of how many owners it has removed
 * pieces.
 */
export async function removeOrphanPieces(
  store: UploadStore & BodyStore,
  now = new Date(),
): Promise<number> {
  const uploads = orphanUploads(store, new Date(now.getTime() - DAY_MS));
  // A revision that is newer than the stored body may be about to be stored. Where no body is stored, that holds for a
  // revision of the last hour.
  const recent = (now.getTime() - HOUR_MS) * 1_000;
  const bodies = orphanBodies(store, ({ revision }, stored = recent) => revision >= stored);
  let removed = 0;
  for (const orphans of [uploads, bodies]) {
    for await (const { owner } of orphans) {
      await removePieces(store, [owner]);
      removed += 1;
    }
  }
  return removed;
}

/**
 * Removes the uploads of files that have ended, whatever their age. A worker that is killed between noting how a file
 * ended and removing its upload leaves one behind.
 */
export async function removeEndedUploads(store: UploadStore): Promise<void> {
  const ended = findOrphans(store, UPLOADS, async (owned) => {
    const owners = ownersOf(owned);
    const { filed, needed } = await judgeUploads(store, owners);
    return new Set(owners.filter((owner) => !filed.has(owner) || needed.has(owner)));
  });
  for await (const { owner } of ended) await removePieces(store, [owner]);
}

/** Finds pieces of uploads that were begun before a time, and that no file needs. */
export function orphanUploads(store: UploadStore, begunBefore: Date): AsyncGenerator<Owned> {
  // An upload's id begins with the second in which it was made, in hexadecimal.
  const seconds = Math.max(0, Math.floor(begunBefore.getTime() / 1_000));
  const range = { ...UPLOADS, before: `upload/${seconds.toString(16).padStart(8, '0')}` };
  return findOrphans(store, range, (owned) => neededUploads(store, ownersOf(owned)));
}

/**
 * Finds pieces of bodies that nobody needs. While a thread is being built, all pieces of its bodies count as needed,
 * however long that takes. `isNeeded` decides for the pieces of all other bodies. It is given the revision of the body
 * that is stored now, or undefined where none is.
 */
export function orphanBodies(
  store: BodyStore,
  isNeeded: (owned: Owned & { revision: number }, stored: number | undefined) => boolean,
): AsyncGenerator<Owned> {
  return findOrphans(store, BODIES, async (owned) => {
    const written = owned.flatMap((one) => {
      const body = bodyOf(one.owner);
      return body ? [{ ...one, ...body }] : [];
    });
    const names = written.map(({ name }) => name);
    // The claims are read first. A build that ends between the two reads has then stored its body.
    const built = await namesBeingBuilt(store, names);
    const filter = { _id: { $in: names } };
    const bodies = await store.bodies.find(filter, { projection: { revision: 1 } }).toArray();
    const stored = new Map(bodies.map(({ _id, revision }) => [_id, revision]));
    const needed = written.filter(
      (one) => built.has(one.name) || isNeeded(one, stored.get(one.name)),
    );
    return new Set(ownersOf(needed));
  });
}

/** Returns those of some bodies whose thread is being built. Only bodies of threads are cut into pieces. */
async function namesBeingBuilt(
  { work }: Pick<Collections, 'work'>,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const markOf = (name: string): string => markId('thread', name.slice(name.indexOf('/') + 1));
  const claimed: string[] = await work.distinct('_id', {
    _id: { $in: names.map(markOf) },
    claim: { $exists: true },
  });
  const marks = new Set(claimed);
  return new Set(names.filter((name) => marks.has(markOf(name))));
}

/** Returns the owners that are uploads and are still needed. */
export async function neededUploads(
  store: Pick<Collections, 'importFiles' | 'work'>,
  owners: string[],
): Promise<ReadonlySet<string>> {
  return (await judgeUploads(store, owners)).needed;
}

/**
 * Tells which of some owners are uploads of filed files, and which of these are still needed. An upload is needed while
 * its file waits for its import, while the import goes on, and while the file is quarantined. During the last two, the
 * file has a mark. The marks are read last: a file may be quarantined between the two reads.
 */
async function judgeUploads(
  { importFiles, work }: Pick<Collections, 'importFiles' | 'work'>,
  owners: string[],
): Promise<Record<'filed' | 'needed', ReadonlySet<string>>> {
  const uploadIds = owners.flatMap((owner) => uploadOf(owner) ?? []);
  const files = await importFiles
    .find({ _id: { $in: uploadIds } }, { projection: { state: 1 } })
    .toArray();
  const marked: string[] = await work.distinct('subject', {
    _id: { $in: uploadIds.map((id) => markId('file', id)) },
  });
  const idsOf = (some: typeof files): string[] => some.map(({ _id }) => _id);
  const waiting = idsOf(files.filter(({ state }) => state === 'queued'));
  return {
    filed: new Set(idsOf(files).map(uploadOwner)),
    needed: new Set([...waiting, ...marked].map(uploadOwner)),
  };
}

function ownersOf(owned: Owned[]): string[] {
  return owned.map(({ owner }) => owner);
}
