import type { ThreadSummary } from '../../../shared/contract/threads.js';
import { saidIn } from '../../../shared/store/forwards.js';
import { foldTag, idKey } from '../../../shared/store/listKeys.js';
import type { AttachmentRecord, MessageRecord } from '../../../shared/store/records.js';
import {
  composed,
  CONVERSATION_LIMIT,
  hashConversation,
  stretchesOf,
  type MessageDocument,
  type ThreadDocument,
} from '../../../shared/store/searchIndex.js';
import { textsWithin } from '../../../shared/store/textsWithin.js';
import { readableText } from '../content/readableText.js';
import type { RenderContext } from '../content/renderContent.js';
import { embedTexts } from './embedTexts.js';
import type { ThreadHead } from './threadViews.js';

/** The platform's limit for the descriptions of a message's files: ten files, and 1,024 characters for each. */
const MOST_DESCRIBED = 10_240;

/** Gathers a thread's conversation as its messages come by, up to the limit of a search document. */
export interface ConversationText {
  /** `shown` is what the message says, as readers see it. */
  add(message: MessageRecord, shown: string): void;
  contents(): string[];
  hasAttachment(): boolean;
}

/** Makes an empty conversation. */
export function conversationText(): ConversationText {
  const contents: string[] = [];
  let length = 0;
  let attachment = false;
  return {
    add(message, shown) {
      attachment ||= hasAttachment(message);
      if (length >= CONVERSATION_LIMIT) return;
      contents.push(shown);
      length += shown.length;
    },
    contents: () => contents,
    hasAttachment: () => attachment,
  };
}

/** The search document of a message that says something. */
export function messageDocument(
  head: ThreadHead,
  message: MessageRecord,
  { shown, written }: SearchableText,
): MessageDocument {
  const content = composed(shown);
  return {
    kind: 'message',
    idKey: idKey(message._id),
    messageId: message._id,
    ...sharedFields(head),
    content,
    ...(written !== content && { markdown: written }),
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
  const shared = sharedFields(head);
  const tags = summary.tags.map(composed);
  const stretches = stretchesOf(
    { title: shared.title, tags },
    conversation.contents().map(composed),
  );
  return {
    kind: 'thread',
    idKey: idKey(head.id),
    ...shared,
    slug: summary.slug,
    preview: summary.preview,
    tags,
    messageCount: summary.messageCount,
    heading: shared.title,
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
    title: composed(head.title),
    status: head.status,
    tagKeys: head.tags.map(foldTag),
  };
}

/** What a message says, as readers see it and as it is written. */
export interface SearchableText {
  shown: string;
  written: string;
}

/**
 * The text of a message that search looks through. It is made of the content and the descriptions of its files, and of
 * the same parts of the message that it forwards. Where a content is empty, as in posts of bots, the texts of embeds take
 * its place. Embeds beside a content are left out, since they mostly preview what it links to. `contextOf` is called only
 * where the text may hold an id that has a name.
 */
export function searchableText(
  message: MessageRecord,
  contextOf: () => RenderContext,
): SearchableText {
  const written = joinTexts(message, (content) => content);
  if (!written.includes('<')) return { shown: written, written };
  const context = contextOf();
  return { shown: joinTexts(message, (content) => readableText(content, context)), written };
}

function joinTexts(message: MessageRecord, show: (content: string) => string): string {
  return saidIn(message)
    .flatMap(({ content, embeds, attachments }) => [
      ...(content === '' ? embedTexts(embeds) : [content]).map(show),
      ...descriptionsOf(attachments),
    ])
    .filter((text) => text !== '')
    .join('\n');
}

function descriptionsOf(attachments: readonly AttachmentRecord[]): string[] {
  return textsWithin(
    attachments.flatMap(({ description = [] }) => description),
    MOST_DESCRIBED,
  );
}

function hasAttachment({ attachments, forwarded }: MessageRecord): boolean {
  return attachments.length > 0 || (forwarded?.attachments.length ?? 0) > 0;
}
