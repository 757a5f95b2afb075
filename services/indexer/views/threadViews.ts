import type {
  MessageAuthor,
  ThreadDetail,
  ThreadSummary,
} from '../../../shared/contract/threads.js';
import { defaultPictureUrl } from '../../../shared/discordApi/cdnUrls.js';
import { countKey, idKey, listScopes, timeKey } from '../../../shared/store/listKeys.js';
import { ERASED_AUTHOR, ERASED_ID } from '../../../shared/store/redacted.js';
import type { ThreadFacts, ThreadItemView } from '../../../shared/store/views.js';
import { presentAuthor } from './presentMessage.js';
import { slug } from './slug.js';
import { snowflakeTime } from '../../../shared/exportFormat/snowflake.js';
import { tagNames, threadStatus, type ThreadModel } from './threadModel.js';

/** The fields of a thread's detail that are known when all its messages are counted. They stand behind the messages. */
type ThreadEnd = Pick<ThreadDetail, 'messageCount' | 'lastActivityAt'>;

/** The fields that a thread's list item, detail and search documents share. */
export type ThreadHead = Omit<ThreadDetail, 'messages' | keyof ThreadEnd>;

/** What a thread says of itself before its messages are counted. */
export function threadHead(model: ThreadModel): ThreadHead {
  const { thread, channel } = model;
  const tags = tagNames(thread, channel);
  return {
    id: thread._id,
    title: thread.title,
    slug: slug(thread.title),
    status: threadStatus(thread, tags, model.resolvedTags),
    author: threadAuthor(model),
    tags,
    serverId: thread.serverId,
    channelId: thread.channelId,
    channelName: channel.name,
    pinned: thread.pinned ?? false,
    createdAt: new Date(snowflakeTime(thread._id)).toISOString(),
    archivedAt: thread.archived ? (thread.archivedAt?.toISOString() ?? null) : null,
    lockedAt: thread.locked ? (thread.lockedAt?.toISOString() ?? null) : null,
  };
}

function threadAuthor({ thread, starting, links }: ThreadModel): MessageAuthor {
  return starting ? presentAuthor(starting, links) : unknownAuthor(thread.ownerId!);
}

/** Somebody whose messages are not here. ERASED_ID stands for those who were erased. */
function unknownAuthor(id: string): MessageAuthor {
  const username = id === ERASED_ID ? ERASED_AUTHOR.username : 'unknown-user';
  return {
    id,
    username,
    displayName: username,
    avatar: defaultPictureUrl(id),
    isBot: false,
  };
}

/**
 * A thread as lists show it, once its messages have been counted. `preview` is of its first message, as readers see it.
 */
export function threadSummary(
  head: ThreadHead,
  preview: string,
  counted: { messages: number; lastAt: Date },
): ThreadSummary {
  const { isBot: _isBot, ...author } = head.author;
  return {
    id: head.id,
    title: head.title,
    slug: head.slug,
    preview,
    status: head.status,
    messageCount: counted.messages,
    author,
    tags: head.tags,
    serverId: head.serverId,
    channelId: head.channelId,
    channelName: head.channelName,
    pinned: head.pinned,
    createdAt: head.createdAt,
    lastActivityAt: counted.lastAt.toISOString(),
  };
}

/** The list item of a thread, with the keys it is sorted and filtered by. */
export function threadItem(
  summary: ThreadSummary,
  facts: ThreadFacts,
  { linksTo, unshown }: { linksTo: string[]; unshown: string[] },
  revision: number,
): ThreadItemView {
  const key = idKey(summary.id);
  return {
    _id: summary.id,
    revision,
    serverId: summary.serverId,
    channelId: summary.channelId,
    scopes: listScopes(summary),
    latestKey: key,
    popularKey: countKey(summary.messageCount) + key,
    activeKey: timeKey(new Date(summary.lastActivityAt)) + key,
    ...(summary.messageCount <= 1 ? { unansweredKey: key } : {}),
    title: summary.title,
    item: JSON.stringify(summary),
    facts,
    linksTo,
    ...(unshown.length > 0 ? { unshownForwards: unshown } : {}),
  };
}

/** The opening of a thread's detail body, up to and including `"messages":[`. */
export function detailOpening(head: ThreadHead): string {
  return `${JSON.stringify(head).slice(0, -1)},"messages":[`;
}

/** The rest of a thread's detail body, after the last message. */
export function detailClosing({ messageCount, lastActivityAt }: ThreadSummary): string {
  const end: ThreadEnd = { messageCount, lastActivityAt };
  return `],${JSON.stringify(end).slice(1)}`;
}
