import type {
  Attachment,
  Embed,
  ForwardedMessage,
  Message,
  MessageAuthor,
  Reaction,
} from '../../../shared/contract/threads.js';
import { MAX_GROWTH } from '../../../shared/exportFormat/limits.js';
import type {
  AttachmentRecord,
  EmbedMedia,
  EmbedRecord,
  MessageRecord,
  ReactionRecord,
} from '../../../shared/store/records.js';
import { MOST_EMBED_CHARACTERS } from './embedTexts.js';
import type { ServiceLinks } from './serviceLinks.js';
import { nameMentions } from '../content/readableText.js';
import { renderContent } from '../content/renderContent.js';
import type { LinkTargets, RenderContext } from '../content/resolveReferences.js';

/** The platform's message type of a reply. */
const REPLY = 19;

/** What a message is rendered with, besides itself. */
export interface MessageSurroundings {
  /** The server that the message is on. */
  guildId: string;
  targets: LinkTargets;
  /** The names, by user id, of those who wrote this message and the earlier ones of its thread. */
  writers: RenderContext['users'];
}

/** A message as the API shows it, its content rendered. */
export function presentMessage(
  message: MessageRecord,
  surroundings: MessageSurroundings & { files: ServiceLinks },
): Message {
  const { files } = surroundings;
  const present = (attachment: AttachmentRecord) => presentAttachment(attachment, message, files);
  const context = renderContext(message, surroundings);
  return {
    id: message._id,
    content: message.content,
    contentHtml: renderContent(message.content, context),
    author: presentAuthor(message, files),
    attachments: message.attachments.map(present),
    reactions: message.reactions.map(presentReaction),
    embeds: presentEmbeds(message.embeds, context),
    stickers: message.stickers,
    replyTo: presentReply(message),
    forwarded: presentForwarded(message.forwarded, context, present),
    interaction: message.interaction && {
      name: message.interaction.name,
      userId: message.interaction.userId,
      username: message.interaction.username,
    },
    pinned: message.pinned,
    createdAt: message.createdAt.toISOString(),
    editedAt: message.editedAt?.toISOString() ?? null,
  };
}

/**
 * What rendering a message's content may look up: the people it mentions, the archive's threads and channels. The
 * platform tells with a message whom its content mentions, but not whom its embeds mention. These are known by name
 * where they have written in the thread.
 */
export function renderContext(
  message: MessageRecord,
  { targets, guildId, writers }: MessageSurroundings,
): RenderContext {
  const mentioned = new Map(message.mentions.map((user) => [user.id, user.displayName]));
  return {
    guildId,
    users: { get: (id) => mentioned.get(id) ?? writers.get(id) },
    roles: new Map(message.mentionedRoles?.map(({ id, name }) => [id, name])),
    targets,
    nameRoom: MAX_GROWTH,
  };
}

/** Who wrote a message. */
export function presentAuthor(
  { author, webhook }: Pick<MessageRecord, 'author' | 'webhook'>,
  files: Pick<ServiceLinks, 'avatar'>,
): MessageAuthor {
  const { id, username, displayName, isBot } = author;
  // A webhook has no account, and so no picture of its own.
  const avatar = webhook ? author.avatar : files.avatar(author);
  return { id, username, displayName, avatar, isBot };
}

function presentAttachment(
  file: AttachmentRecord,
  message: MessageRecord,
  files: Pick<ServiceLinks, 'attachment'>,
): Attachment {
  const { id, filename, contentType, size, width, height, description = null, spoiler } = file;
  const url = files.attachment(file, message);
  return {
    id,
    filename,
    url,
    contentType,
    size,
    width,
    height,
    description,
    spoiler: spoiler ?? false,
  };
}

function presentReaction({ emoji, count }: ReactionRecord): Reaction {
  return { emoji: emoji.name, emojiId: emoji.id, count };
}

/**
 * Puts names into the texts of embeds, as nothing else in an answer tells whom an embed mentions. Reading markdown takes
 * long. So texts beyond the platform's limit for all embeds of a message stay as they were written.
 */
function presentEmbeds(embeds: readonly EmbedRecord[], context: RenderContext): Embed[] {
  let room = MOST_EMBED_CHARACTERS;
  const named = (text: string): string =>
    (room -= text.length) >= 0 ? nameMentions(text, context) : text;
  return embeds.map((embed) => presentEmbed(embed, named));
}

function presentEmbed(embed: EmbedRecord, named: (text: string) => string): Embed {
  const { title, description, fields, timestamp, thumbnail, images, video } = embed;
  return {
    ...embed,
    thumbnail: thumbnail && presentMedia(thumbnail),
    images: images.map(presentMedia),
    video: video && presentMedia(video),
    title: title && named(title),
    description: description && named(description),
    fields: fields.map(({ name, value, inline }) => ({
      name: named(name),
      value: named(value),
      inline,
    })),
    timestamp: timestamp?.toISOString() ?? null,
  };
}

/** Records of earlier versions hold a size of 0 where an export told none. */
function presentMedia({ url, width, height }: EmbedMedia): EmbedMedia {
  return { url, width: width || null, height: height || null };
}

/** The message to which a reply answers. Thread starters and notices refer to messages, too, but answer none. */
function presentReply({ type, reference }: MessageRecord): Message['replyTo'] {
  return type === REPLY && reference?.type === 'reply' && reference.messageId !== null
    ? { messageId: reference.messageId, threadId: reference.channelId }
    : null;
}

function presentForwarded(
  forwarded: MessageRecord['forwarded'],
  context: RenderContext,
  present: (attachment: AttachmentRecord) => Attachment,
): ForwardedMessage | null {
  if (!forwarded || forwarded.untold) return null;
  return {
    content: forwarded.content,
    contentHtml: renderContent(forwarded.content, context),
    attachments: forwarded.attachments.map(present),
    embeds: presentEmbeds(forwarded.embeds, context),
    stickers: forwarded.stickers,
    createdAt: forwarded.createdAt?.toISOString() ?? null,
    editedAt: forwarded.editedAt?.toISOString() ?? null,
  };
}
