import { rm } from 'node:fs/promises';
import { expiryOf, filePath } from '../../../shared/discordApi/cdnUrls.js';
import { PlatformForbidden } from '../../../shared/discordApi/platformErrors.js';
import { BucketError } from '../../../shared/mirror/bucketFiles.js';
import { newKey } from '../../../shared/mirror/fileNames.js';
import { forEachAtOnce } from '../../../shared/platform/forEachAtOnce.js';
import { isStoreAway } from '../../../shared/platform/storeErrors.js';
import { stateOf } from '../../../shared/store/state.js';
import { fileRecordId, type SyncFile } from '../../../shared/store/syncRecords.js';
import type { Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { slices } from '../records/slices.js';
import { fetchFile, FileRefused, FilesLimited, type ArrivedFile } from './fetchFile.js';
import { changeRecords, newRecord } from './fileRecords.js';
import type { Mirror } from './mirror.js';
import type { WantedFile } from './wantedFiles.js';

/** The most files that are fetched at once. */
const FETCHED_AT_ONCE = 4;
/** The most links that are asked for together. */
const LINKS_AT_ONCE = 50;
/**
 * Copying pauses after so many failures in a row, whatever subjects they belong to. By then the platform is probably
 * away, or the mirror accepts nothing, for example because its disk is full.
 */
const MOST_FAILURES = 3;
const FIRST_WAIT_MS = 60_000;
const DAY_MS = 86_400_000;
/** The longest time (ms) until a file is tried again that the mirror did not accept. The file itself may be fine. */
const MIRROR_WAIT_MS = 600_000;

/**
 * The time from which on a due time is wrong. A failed file is tried again within a day, and the clocks of machines
 * differ a little, so this is two days ahead. A record with a later time was written while a clock was ahead.
 */
export function beyondWaits(now: Date): Date {
  return new Date(now.getTime() + 2 * DAY_MS);
}

/** A wanted file that has to be copied, now or later. */
export interface MissingFile {
  file: WantedFile;
  /** The record of the tries so far; undefined before the first try. */
  record: SyncFile | undefined;
}

/** The media types that pictures of people and servers may have. */
const PICTURES = /^image\/(?:png|jpeg|gif|webp|avif)$/;

/**
 * The mirror already holds as many bytes as it may. The file that found no room is due again a day later. Then all
 * files of its subject are tried.
 */
class MirrorFull extends Error {
  override readonly name = 'MirrorFull';
  constructor() {
    super('The mirror is full');
  }
}

/** For now, no more files of a subject are copied. */
class Pause extends Error {
  override readonly name = 'Pause';
}

interface Copying {
  deps: IndexerDeps;
  mirror: Mirror;
  mark: Mark;
  /** After this time (of `performance.now()`), no other file is begun. */
  end: number;
}

/**
 * Copies the files that are due, until a time of `performance.now()`. A file that fails is tried again at the time that
 * its record tells. Resolves with whether some files are left that could not be tried.
 */
export async function copyFiles(
  deps: IndexerDeps,
  mirror: Mirror,
  mark: Mark,
  { wanted, end }: { wanted: readonly MissingFile[]; end: number },
): Promise<boolean> {
  const now = new Date();
  const isDue = ({ dueAt = now }: Partial<SyncFile>): boolean =>
    dueAt <= now || dueAt >= beyondWaits(now);
  const due = wanted.filter(({ record }) => isDue(record ?? {}));
  const copying: Copying = { deps, mirror, mark, end };
  try {
    for (const group of slices(due, LINKS_AT_ONCE)) {
      if (!mayGoOn(copying)) return true;
      const links = await Promise.allSettled(group.map(({ file }) => linkOf(mirror, file)));
      await forEachAtOnce(group.entries(), FETCHED_AT_ONCE, async ([index, missing]) => {
        await copyOne(copying, missing, links[index]!);
      });
    }
    return false;
  } catch (error) {
    if (error instanceof MirrorFull) return !mayGoOn(copying);
    // The pause may be over by now, because the files under way have ended first. The others are left all the same.
    if (error instanceof Pause) return true;
    throw error;
  }
}

function mayGoOn({ deps, mirror: { pause }, end }: Copying): boolean {
  return !deps.signal.aborted && performance.now() >= pause.until && performance.now() < end;
}

/** A link that can be opened now. Throws FileRefused where there is none, and whatever the platform's client throws. */
async function linkOf({ links }: Mirror, file: WantedFile): Promise<string> {
  if (!file.attachment) return file.source;
  if (links) {
    const link = await links.linkOf(file.attachment);
    if (link === null) throw new FileRefused('The platform does not have it any more');
    return link;
  }
  if (expiryOf(file.source) < Date.now()) throw new FileRefused('Its link has expired');
  return file.source;
}

/** Copies a file, or notes why it cannot be copied. Throws Pause or MirrorFull where the next files would fail, too. */
async function copyOne(
  copying: Copying,
  { file, record }: MissingFile,
  link: PromiseSettledResult<string>,
): Promise<void> {
  const { deps, mirror, mark } = copying;
  if (!mayGoOn(copying)) throw new Pause();
  try {
    if (await isFull(copying, file.bytes)) throw new MirrorFull();
    if (link.status === 'rejected') throw link.reason;
    const path = filePath(link.value, mirror.cdnUrl);
    if (path === null) throw new FileRefused('Its link leads elsewhere');
    const takes = file.attachment ? mirror.takes : (type: string) => PICTURES.test(type);
    await keep(
      copying,
      file,
      await fetchFile(mirror, { path, bytes: file.bytes, takes, signal: deps.signal }),
    );
    mirror.pause.failures = 0;
  } catch (error) {
    if (deps.signal.aborted) throw new Pause();
    if (isStoreAway(error)) throw error;
    if (error instanceof FilesLimited) throw pauseAll(mirror, error.waitMs);
    const failed = failedRecord(newRecord(file, mark.subject), record, error);
    await changeRecords(deps, mark, [failed._id], (now) =>
      // A picture that was copied earlier is shown until there is a newer one.
      now?.copy ? { ...failed, copy: now.copy } : failed,
    );
    if (error instanceof MirrorFull) throw error;
    if (failed.dueAt) mirror.logFailure(deps.logger, { err: error, subject: mark.subject });
    // If the bot may not see one file, it may still see the others.
    if (!failed.dueAt || error instanceof PlatformForbidden) return;
    mirror.pause.failures += 1;
    if (mirror.pause.failures >= MOST_FAILURES) throw pauseAll(mirror, FIRST_WAIT_MS);
  }
}

/** Stops fetching in this process for some time (ms). */
function pauseAll({ pause }: Mirror, waitMs: number): Pause {
  pause.until = performance.now() + waitMs;
  return new Pause();
}

function failedRecord(fresh: SyncFile, before: SyncFile | undefined, error: unknown): SyncFile {
  const problem = error instanceof Error ? error.message : String(error);
  if (error instanceof FileRefused) return { ...fresh, problem };
  const tries = (before?.tries ?? 0) + 1;
  // These problems seldom end soon: somebody has to change something first.
  const isLasting = error instanceof MirrorFull || error instanceof PlatformForbidden;
  const longest = isOfMirror(error) ? MIRROR_WAIT_MS : DAY_MS;
  const waitMs = isLasting ? DAY_MS : Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), longest);
  return { ...fresh, problem, tries, dueAt: new Date(Date.now() + waitMs) };
}

/**
 * Whether a file failed because the folder or the bucket did not accept it. Its disk may be full, or read-only. An
 * error of the file system names a system call. An error of a request to the platform does not.
 */
function isOfMirror(error: unknown): boolean {
  return error instanceof BucketError || (error instanceof Error && 'syscall' in error);
}

async function isFull({ deps, mirror }: Copying, bytes: number): Promise<boolean> {
  const totals = await stateOf(deps.collections.state, 'mirror').findOne({ _id: 'mirror' });
  return (totals?.bytes ?? 0) + Math.max(bytes, 1) > mirror.maxTotalBytes;
}

/** Puts a file that has arrived into the mirror, and then its record. Throws MirrorFull. */
async function keep(
  { deps, mirror, mark }: Copying,
  file: WantedFile,
  { path, ...facts }: ArrivedFile,
): Promise<void> {
  const key = newKey(file.name);
  const record = { ...newRecord(file, mark.subject), copy: { key, ...facts } };
  try {
    await mirror.files.put(key, path, facts);
  } finally {
    await rm(path, { force: true });
  }
  const id = fileRecordId(file.name);
  const changed = await changeRecords(deps, mark, [id], (now, totals) => {
    const others = totals.bytes - (now?.copy?.bytes ?? 0);
    return others + facts.bytes > mirror.maxTotalBytes ? undefined : record;
  });
  const isStored = changed?.has(id) === true;
  // No reader is given a copy before its record is stored. So a copy that got no record can be removed at once.
  if (!isStored) await mirror.files.remove([key]);
  // The claim is still held, so the record was left out because there is no room.
  if (changed && !isStored) throw new MirrorFull();
  const older = changed?.get(id)?.copy?.key;
  if (older !== undefined) await mirror.files.remove([older]);
}
