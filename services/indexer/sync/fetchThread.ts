import type { LivePage, Unreadable } from '../../../shared/discordApi/answerTypes.js';
import { batches } from '../../../shared/platform/batches.js';
import { findGathered } from '../../../shared/store/gather.js';
import { idKey } from '../../../shared/store/listKeys.js';
import { NOTHING_FETCHED, syncOf, type SyncThread } from '../../../shared/store/syncRecords.js';
import { AT_ONCE } from '../../../shared/store/work.js';
import { nextBuildDue } from '../build/nextBuildDue.js';
import { isProofOfDeletion, PlatformAway } from '../../../shared/discordApi/platformErrors.js';
import {
  messagesRequest,
  PAGE_SIZE,
  presenceRequest,
} from '../../../shared/discordApi/requests.js';
import { recordMessages } from './recordMessages.js';
import { removeDeletedMessages } from './removeDeleted.js';
import { isArchived, type SyncDeps } from './syncDeps.js';

/** So many messages are asked for, before the deleted ones among them are removed together. */
const REMOVED_AT_ONCE = 50;

/**
 * Fetches a thread's messages, page by page, oldest first. Each page is recorded before its place is noted. The place
 * of the last page is noted together with the end. So after a crash a page may be fetched twice, which changes nothing.
 * A message that cannot be read is left out, and noted as a problem of the thread. After a thread was read from its
 * first message on, the platform is asked for each recorded message that it did not tell. Such a message is removed if
 * the platform says that it was deleted. Where a look at the server finds meanwhile that the forum is not archived any
 * more, nothing more is fetched. That look deletes the note of the thread.
 */
export async function fetchThread(deps: SyncDeps, thread: SyncThread): Promise<void> {
  const { collections } = deps;
  // Nothing of a thread is recorded that an operator has deleted.
  if ((await findGathered(collections.threads, thread._id))?.deleted) {
    await collections.sync.deleteOne({ _id: thread._id });
    return;
  }
  let { after, since, fetched } = thread;
  const startedAt = new Date();
  const isFromFirst = after === NOTHING_FETCHED.after;
  const unreadable: Unreadable = [];
  let page: Page | null;
  for (;;) {
    const from = after;
    page = await fetchPage(deps, { ...thread, after, fetched });
    if (!page) return;
    after = page.last ?? after;
    since ??= page.asOf;
    fetched += page.messages;
    unreadable.push(...page.unreadable);
    if (page.messages < PAGE_SIZE) break;
    await notePlace(deps, thread, { from, after, since, fetched });
  }
  if (page.messages === 0) await requireTold(deps, thread, after);
  if (isFromFirst || thread.todo === 'all') await removeDeleted(deps, thread, since);
  const problem = problemOf(unreadable);
  if (problem) deps.logger.warn({ threadId: thread._id, unreadable }, 'Messages cannot be read');
  await syncOf(collections.sync, 'thread').updateOne(
    { _id: thread._id, token: thread.token! },
    {
      // A reading that went on from the middle says nothing about the messages before, which may have changed.
      $set: { after, fetched, ...(isFromFirst && { readAt: startedAt }), ...problem },
      $unset: { todo: '', token: '', since: '', dueAt: '', ...(!problem && { problem: '' }) },
    },
  );
}

/**
 * Makes sure that an empty page is the end of a thread. Without the permission to read the history, the platform sends
 * empty pages, too. A moderator may take the permission away and give it back before a look finds that. So where no
 * page has told the last message that a list has told, the platform is asked for that message. Throws PlatformForbidden
 * where the bot may not read it, and PlatformAway where it is there.
 */
async function requireTold(
  deps: SyncDeps,
  { _id: threadId, lastMessageId }: SyncThread,
  after: string,
): Promise<void> {
  if (lastMessageId === null || idKey(lastMessageId) <= idKey(after)) return;
  if (await wasDeleted(deps, threadId, lastMessageId)) return;
  throw new PlatformAway('The platform sends an empty page in place of messages');
}

/** The problem that an operator is told about messages that cannot be read; null where all can be read. */
function problemOf([first, ...others]: Unreadable): { problem: string } | null {
  if (!first) return null;
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  return { problem: `Message ${first.id}${more} cannot be read: ${first.reason}` };
}

interface Page extends Pick<LivePage, 'unreadable'> {
  /** How many messages the page has, including those that cannot be read. */
  messages: number;
  /** The greatest id; null on an empty page. */
  last: string | null;
  asOf: number;
}

/**
 * Fetches and records the messages after the last known one. Further pages may follow a full one, so a long thread then
 * rests before it is built. Resolves with null where the forum is not archived any more. The page was not recorded
 * then, and the caller must not note its place.
 */
async function fetchPage(
  deps: SyncDeps,
  { _id: threadId, after, fetched, serverId, channelId }: SyncThread,
): Promise<Page | null> {
  const { platform, signal } = deps;
  const { value, asOf } = await platform.get(messagesRequest(threadId, after), signal);
  const { unreadable } = value;
  const messages = value.messages.toSorted(byId);
  const all = [...messages, ...unreadable].toSorted(byId);
  const told = messages.map((message) => ({ value: message, asOf }));
  const due = all.length < PAGE_SIZE ? AT_ONCE : nextBuildDue(fetched + all.length);
  await recordMessages(deps, { serverId, channelId, threadId, due }, told);
  // If a look has found meanwhile that the forum is not archived any more, nothing was recorded.
  if (!isArchived(deps, { serverId, channelId })) return null;
  deps.meter.count(all.length);
  return { messages: all.length, last: all.at(-1)?.id ?? null, asOf, unreadable };
}

function byId(left: { id: string }, right: { id: string }): number {
  return idKey(left.id) < idKey(right.id) ? -1 : 1;
}

/**
 * Notes how far a thread was fetched: to `after`, the end of the page that begins at `from`. Where the thread is
 * meanwhile to be read from its beginning, nothing is noted. There are two such cases. It is to be read once more. Or
 * its forum was forgotten, and then listed again, so this is another note. Where something new was told of the thread,
 * its token is another one, too, but its place is still the same.
 */
async function notePlace(
  { collections: { sync } }: SyncDeps,
  { _id, todo, token }: SyncThread,
  { from, after, since, fetched }: { from: string; after: string; since: number; fetched: number },
): Promise<void> {
  const isFirst = from === NOTHING_FETCHED.after;
  await syncOf(sync, 'thread').updateOne(
    todo === 'all' || isFirst ? { _id, token: token! } : { _id, todo: { $ne: 'all' }, after: from },
    { $set: { after, fetched, ...(todo === 'all' && { since }) } },
  );
}

/**
 * Removes the messages that the platform has deleted. The platform is asked for each recorded message that it did not
 * tell while the whole thread was read, because only the answer that a message is unknown proves a deletion. Several
 * messages are removed together, because each removal builds the thread.
 */
async function removeDeleted(
  deps: SyncDeps,
  { _id: threadId }: SyncThread,
  since: number,
): Promise<void> {
  const untold = { threadId, asOf: { $lt: since }, deleted: { $ne: true } };
  const found = deps.collections.messages.find(untold, { projection: { _id: 1 } });
  for await (const some of batches(found, { items: REMOVED_AT_ONCE })) {
    const gone: string[] = [];
    for (const { _id } of some) if (await wasDeleted(deps, threadId, _id)) gone.push(_id);
    if (gone.length > 0) await removeDeletedMessages(deps, { threadId }, gone);
  }
}

async function wasDeleted(
  { platform, signal }: SyncDeps,
  threadId: string,
  messageId: string,
): Promise<boolean> {
  try {
    await platform.get(presenceRequest(threadId, messageId), signal);
    return false;
  } catch (error) {
    if (!isProofOfDeletion(error)) throw error;
    return true;
  }
}
