import type { ErasedPeople } from './erasures.js';
import type {
  AttachmentRecord,
  EmbedMedia,
  EmbedRecord,
  MessageRecord,
  ReactionRecord,
  SourceMessage,
  StickerRecord,
} from './records.js';
import { eraseNames, textEraser, type TextEraser } from './eraseText.js';
import { namedIn } from './namedIn.js';
import { MAX_SHORT_TEXT } from '../exportFormat/limits.js';
import { TITLE_CHANGE } from '../exportFormat/messageTypes.js';
import { REDACTED } from './redacted.js';

type Message = SourceMessage & Pick<MessageRecord, 'deleted'>;

/**
 * A message without a trace of erased people. Where one of them wrote it, nothing of it is left. In what others wrote,
 * their mentions, ids, pictures, reactions and commands are taken out. Returns the same object where there is no trace.
 */
export function applyErasures<T extends Message>(message: T, erased: ErasedPeople): T {
  if (erased.isEmpty || message.deleted) return message;
  if (erased.has(message.author.id)) return { ...message, ...REDACTED };
  const gone = message.mentions.filter(({ id }) => erased.has(id));
  const names = namedIn(message).flatMap((one) => (erased.has(one.id) ? one.names : []));
  const others = message.mentions
    .filter((one) => !gone.includes(one))
    .flatMap(({ username, displayName }) => [username, displayName]);
  const eraser = textEraser(erased, names, others);
  const content = eraser.text(message.content);
  const clean: T = {
    ...message,
    content: message.counted ? content : cleanNotice(message.type, content, names),
    attachments: message.attachments.map((one) => cleanFile(one, eraser, eraser.text)),
    embeds: message.embeds.map((embed) => cleanEmbed(embed, eraser)),
    stickers: message.stickers.map((one) => cleanSticker(one, eraser, eraser.text)),
    reactions: message.reactions.flatMap((reaction) => cleanReaction(reaction, erased)),
    mentions: message.mentions.filter((one) => !gone.includes(one)),
    forwarded: message.forwarded && {
      ...message.forwarded,
      content: eraser.untold(message.forwarded.content),
      attachments: message.forwarded.attachments.map((one) =>
        cleanFile(one, eraser, eraser.untold),
      ),
      embeds: message.forwarded.embeds.map((embed) => cleanEmbed(embed, eraser)),
      stickers: message.forwarded.stickers.map((one) => cleanSticker(one, eraser, eraser.untold)),
    },
    interaction:
      message.interaction && erased.has(message.interaction.userId) ? null : message.interaction,
  };
  return JSON.stringify(clean) === JSON.stringify(message) ? message : clean;
}

/**
 * The text of a notice without erased people. A notice such as "Added Ada to the group." names people without an @. Its
 * mentions tell who they are, so their names are taken out. A notice of a thread's new title has no mentions, although
 * the title may name an erased person. So its text is emptied.
 */
function cleanNotice(type: number, content: string, names: readonly string[]): string {
  return type === TITLE_CHANGE ? '' : eraseNames(content, names);
}

function cleanFile(
  file: AttachmentRecord,
  { ids }: TextEraser,
  text: TextEraser['text'],
): AttachmentRecord {
  const { filename, url, description } = file;
  return {
    ...file,
    filename: text(filename, MAX_SHORT_TEXT),
    url: ids(url),
    ...(description !== undefined && { description: text(description) }),
  };
}

function cleanSticker(
  sticker: StickerRecord,
  { ids }: TextEraser,
  text: TextEraser['text'],
): StickerRecord {
  return { ...sticker, name: text(sticker.name, MAX_SHORT_TEXT), url: ids(sticker.url) };
}

function cleanReaction(reaction: ReactionRecord, erased: ErasedPeople): ReactionRecord[] {
  const userIds = reaction.userIds.filter((id) => !erased.has(id));
  const count = reaction.count - (reaction.userIds.length - userIds.length);
  return count > 0 ? [{ ...reaction, userIds, count }] : [];
}

/** Removes an embed as a whole where it has the picture or page of an erased person, as it is about them. */
function cleanEmbed(embed: EmbedRecord, eraser: TextEraser): EmbedRecord {
  const { author, footer } = embed;
  const names = [author?.url, author?.iconUrl].some((url) => eraser.isAbout(url));
  return {
    ...embed,
    title: embed.title && eraser.untold(embed.title),
    description: embed.description && eraser.untold(embed.description),
    url: urlOrNull(embed.url, eraser),
    author:
      author && !names && !eraser.isName(author.name)
        ? { ...author, name: eraser.untold(author.name) }
        : null,
    footer:
      footer && !eraser.isAbout(footer.iconUrl)
        ? { ...footer, text: eraser.untold(footer.text) }
        : null,
    thumbnail: mediaOrNull(embed.thumbnail, eraser),
    images: embed.images.flatMap((image) => mediaOrNull(image, eraser) ?? []),
    video: mediaOrNull(embed.video, eraser),
    fields: embed.fields.map((field) => ({
      ...field,
      name: eraser.untold(field.name),
      value: eraser.untold(field.value),
    })),
  };
}

function urlOrNull(url: string | null, eraser: TextEraser): string | null {
  return eraser.isAbout(url) ? null : url;
}

function mediaOrNull(media: EmbedMedia | null, eraser: TextEraser): EmbedMedia | null {
  return media && !eraser.isAbout(media.url) ? media : null;
}
