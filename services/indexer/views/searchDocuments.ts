import { firstCharacters } from '../../../shared/store/previews.js';
import type { ThreadSummary } from '../../../shared/contract/threads.js';
import { foldTag, idKey } from '../../../shared/store/listKeys.js';
import type { AttachmentRecord, MessageRecord } from '../../../shared/store/records.js';
import {
  CONVERSATION_LIMIT,
  hashConversation,
  stretchesOf,
  type MessageDocument,
  type ThreadDocument,
} from '../../../shared/store/searchIndex.js';
import type { ThreadHead } from './threadViews.js';

/** Gathers a thread's conversation as its messages come by, up to the limit of a search document. */
export interface ConversationText {
  add(message: MessageRecord): void;
  contents(): string[];
  hasAttachment(): boolean;
}

/** An empty conversation. */
export function conversationText(): ConversationText {
  const contents: string[] = [];
  let length = 0;
  let attachment = false;
  return {
    add(message) {
      attachment ||= hasAttachment(message);
      if (length >= CONVERSATION_LIMIT) return;
      const text = searchableText(message);
      contents.push(text);
      length += text.length;
    },
    contents: () => contents,
    hasAttachment: () => attachment,
  };
}

/** The search document of a message. `preview`: the beginning of its content, as readers see it. */
export function messageDocument(
  head: ThreadHead,
  message: MessageRecord,
  preview: string,
): MessageDocument {
  const content = searchableText(message);
  return {
    kind: 'message',
    idKey: idKey(message._id),
    messageId: message._id,
    ...sharedFields(head),
    content,
    ...(preview !== firstCharacters(content) && { preview }),
    authorId: message.author.id,
    authorUsername: message.author.username,
    authorDisplayName: message.author.displayName,
    hasAttachment: hasAttachment(message),
    createdAt: message.createdAt.toISOString(),
  };
}

/** The search document of a thread, with its whole conversation. */
export function threadDocument(
  head: ThreadHead,
  summary: ThreadSummary,
  conversation: ConversationText,
): ThreadDocument {
  const stretches = stretchesOf({ title: head.title, tags: summary.tags }, conversation.contents());
  return {
    kind: 'thread',
    idKey: idKey(head.id),
    ...sharedFields(head),
    slug: summary.slug,
    preview: summary.preview,
    tags: summary.tags,
    messageCount: summary.messageCount,
    heading: head.title,
    stretches,
    conversationHash: hashConversation(stretches),
    authorId: summary.author.id,
    authorUsername: summary.author.username,
    authorDisplayName: summary.author.displayName,
    hasAttachment: conversation.hasAttachment(),
    createdAt: summary.createdAt,
  };
}

function sharedFields(head: ThreadHead) {
  return {
    threadId: head.id,
    serverId: head.serverId,
    channelId: head.channelId,
    channelName: head.channelName,
    title: head.title,
    status: head.status,
    tagKeys: head.tags.map(foldTag),
  };
}

/** What a message says: its content, what its files show in its author's words, and the same of what it forwards. */
export function searchableText({ content, attachments, forwarded }: MessageRecord): string {
  const texts = [content, ...descriptionsOf(attachments)];
  if (forwarded) texts.push(forwarded.content, ...descriptionsOf(forwarded.attachments));
  return texts.filter((text) => text !== '').join('\n');
}

function descriptionsOf(attachments: readonly AttachmentRecord[]): string[] {
  return attachments.flatMap(({ description = '' }) => description);
}

function hasAttachment({ attachments, forwarded }: MessageRecord): boolean {
  return attachments.length > 0 || (forwarded?.attachments.length ?? 0) > 0;
}
