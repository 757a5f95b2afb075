import { timestampToDate, timestampToMicros } from '../../../shared/exportFormat/timestamps.js';
import { syncOf, type SyncChannel } from '../../../shared/store/syncRecords.js';
import type { LiveThread, Unreadable } from '../../../shared/discordApi/answerTypes.js';
import {
  onRefusal,
  PlatformAnswerError,
  PlatformAway,
  PlatformRefused,
} from '../../../shared/discordApi/platformErrors.js';
import {
  activeThreadsRequest,
  archivedThreadsRequest,
} from '../../../shared/discordApi/requests.js';
import { noteThreads } from './noteThreads.js';
import { readUnlisted } from './readUnlisted.js';
import { suspendChannel } from './suspend.js';
import { isArchived, type SyncDeps } from './syncDeps.js';

/**
 * Lists a server's active threads, then the archived ones of some forums, and then the active ones again, because
 * threads may become active while the archived ones are listed. When a list fails, the others are read all the same,
 * and the error is thrown at the end.
 */
export async function listThreads(
  deps: SyncDeps,
  serverId: string,
  channelIds: readonly string[],
): Promise<void> {
  const errors: Error[] = [];
  const attempt = async (list: Promise<void>, about: { channelId?: string }): Promise<void> => {
    try {
      await list;
    } catch (error) {
      const isIts = error instanceof PlatformAway || error instanceof PlatformAnswerError;
      if (!isIts) throw error;
      deps.logger.warn({ err: error, serverId, ...about }, 'Threads cannot be listed');
      errors.push(error);
    }
  };
  await attempt(listActive(deps, serverId), {});
  for (const channelId of channelIds) {
    await attempt(listArchived(deps, serverId, channelId), { channelId });
  }
  await attempt(listActive(deps, serverId), {});
  // If the platform was away for one list, its error counts, so that the server is tried again.
  const error = errors.find((one) => one instanceof PlatformAway) ?? errors[0];
  if (error) throw error;
}

/** Notes all active threads of a server. Where one of them cannot be read, it throws PlatformAnswerError at the end. */
async function listActive(deps: SyncDeps, serverId: string): Promise<void> {
  const request = activeThreadsRequest(serverId);
  const { value, asOf } = await deps.platform.get(request, deps.signal);
  const server = deps.servers.get(serverId);
  if (server) await noteThreads(deps, server, { threads: value.threads, asOf });
  requireAllRead(value.unreadable);
}

function requireAllRead(unreadable: Unreadable): void {
  const problem = problemOf(unreadable);
  if (problem !== undefined) throw new PlatformAnswerError(problem);
}

function problemOf([first]: Unreadable): string | undefined {
  return first && `Thread ${first.id} cannot be read: ${first.reason}`;
}

/**
 * Notes a forum's archived threads, page by page, down to those that an earlier list has told. The place of each page
 * is stored with it, so that a list that was cut off goes on there. A thread that is archived meanwhile stands before
 * the first page, and the next list finds it. The server may be looked at meanwhile. So each page is noted by the rules
 * of the last look, and the list ends where the forum is not archived any more. Where a thread cannot be read, the
 * others are noted, and PlatformAnswerError is thrown at the end. Reading the list again would not help before the
 * archive is updated. So the later lists of this process report the same problem, and the first list of the next
 * process begins from the start.
 */
async function listArchived(deps: SyncDeps, serverId: string, channelId: string): Promise<void> {
  const syncChannels = syncOf(deps.collections.sync, 'channel');
  if (!deps.listed.has(channelId)) {
    // A list that was cut off has a place, and goes on there.
    const isEnded = { unreadable: { $exists: true }, before: { $exists: false } };
    const anew = { $unset: { unreadable: '', listedTo: '' } } as const;
    await syncChannels.updateOne({ _id: channelId, ...isEnded }, anew);
  }
  while (isArchived(deps, { serverId, channelId })) {
    const known = await syncChannels.findOne({ _id: channelId });
    if (!known) return;
    const request = archivedThreadsRequest(channelId, known.before);
    const before = deps.servers.get(serverId);
    const answer = await deps.platform.get(request, deps.signal).catch(onRefusal);
    const server = deps.servers.get(serverId);
    if (!server?.channels.has(channelId)) return;
    if (answer instanceof PlatformRefused) {
      // After a look meanwhile, the page is asked for once more.
      if (before) await suspendChannel(deps, before, channelId, answer.message);
      continue;
    }
    const { value, asOf } = answer;
    await noteThreads(deps, server, { threads: value.threads, asOf });
    const hasMore = value.has_more ?? value.threads.length > 0;
    // Where no thread of a page can be read, nobody knows where the list goes on.
    if (hasMore && value.threads.length === 0) requireAllRead(value.unreadable);
    const next = placeAfter(known, value.threads, hasMore);
    const isFirst = known.listedTo === undefined || !deps.listed.has(channelId);
    if (next.isEnd && isFirst) await readUnlisted(deps, server, channelId);
    const same = { _id: channelId, token: known.token ?? { $exists: false } };
    const unreadable = problemOf(value.unreadable) ?? known.unreadable;
    const $set = { ...next.update.$set, ...(unreadable !== undefined && { unreadable }) };
    const { matchedCount } = await syncChannels.updateOne(same, { ...next.update, $set });
    // A list that was forgotten meanwhile is read from its beginning.
    if (matchedCount === 0 || !next.isEnd) continue;
    deps.listed.add(channelId);
    if (unreadable !== undefined) throw new PlatformAnswerError(unreadable);
    return;
  }
}

/** Where a list goes on after a page, or that it has ended. Throws PlatformAnswerError where it would never end. */
export function placeAfter(
  known: Pick<SyncChannel, 'before' | 'newest' | 'listedTo'>,
  page: readonly LiveThread[],
  hasMore: boolean,
): { update: { $set: Partial<SyncChannel>; $unset?: Record<string, ''> }; isEnd: boolean } {
  const times = page.flatMap(({ thread_metadata: { archive_timestamp: at } }) => at ?? []);
  const [first, last] = [times[0], times.at(-1)];
  const newest = known.newest ?? first ?? known.listedTo;
  const isKnown =
    last !== undefined && known.listedTo !== undefined && isBefore(last, known.listedTo);
  if (last === undefined || !hasMore || isKnown) {
    const $set = newest === undefined ? {} : { listedTo: newest };
    return { update: { $set, $unset: { before: '', newest: '' } }, isEnd: true };
  }
  const before = cursorAfter(last, known.before);
  if (known.before !== undefined && timestampToMicros(before) >= timestampToMicros(known.before)) {
    // Otherwise the same page would be read again and again.
    throw new PlatformAnswerError(`archivedThreads: the page does not go on before ${before}`);
  }
  return { update: { $set: { newest: newest ?? last, before } }, isEnd: false };
}

function isBefore(left: string, right: string): boolean {
  return timestampToDate(left) < timestampToDate(right);
}

/**
 * The platform lists threads that were archived before a moment. Threads of the same moment may stand on both sides of
 * the edge of a page. So the next page begins a millisecond later than the last thread. Where the whole page is of that
 * millisecond, it begins at the thread itself, and so do the following pages until that millisecond is past.
 */
function cursorAfter(last: string, before: string | undefined): string {
  const at = timestampToDate(last).getTime();
  const isWithin = before !== undefined && timestampToDate(before).getTime() <= at + 1;
  return isWithin ? last : new Date(at + 1).toISOString();
}
