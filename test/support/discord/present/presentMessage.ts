import {
  AttachmentFlags,
  MessageType,
  type APIAttachment,
  type APIMessage,
  type APIReaction,
  type APIUser,
} from 'discord-api-types/v10';
import { snowflakeTime } from '../../../../shared/exportFormat/snowflake.js';
import type { Message, Poll, Snapshot } from '../model/entities.js';
import type { DiscordModel } from '../model/model.js';
import type { Links } from './links.js';
import { presentThread } from './presentChannel.js';
import { presentComponents } from './presentComponents.js';
import { presentUser, presentWebhook } from './presentUser.js';
import { isoOf, isoOfMicros } from './times.js';

/** What is needed to present messages to the bot. */
export interface Viewer {
  model: DiscordModel;
  links: Links;
  /** Whether the bot gets the content of messages. */
  seesContent: boolean;
}

/** Types of messages that come with the message which they refer to, or with null where it was deleted. */
const REFERRING: number[] = [
  MessageType.Reply,
  MessageType.ThreadStarterMessage,
  MessageType.ContextMenuCommand,
];
const { IsSpoiler } = AttachmentFlags;

/** A message in the form in which the REST API gives it to the bot. */
export function presentMessage(viewer: Viewer, message: Message): APIMessage {
  const { reference } = message;
  const original =
    reference?.messageId !== undefined && REFERRING.includes(message.type)
      ? (viewer.model.findMessage(reference.channelId, reference.messageId) ?? null)
      : undefined;
  const { reactions } = message;
  const thread = viewer.model.threads.get(message.id);
  return {
    ...presentAlone(viewer, message),
    ...(reactions.length > 0 ? { reactions: reactions.map(presentReaction) } : {}),
    ...(thread && thread.parentId === message.channelId ? { thread: presentThread(thread) } : {}),
    ...(original === undefined
      ? {}
      : { referenced_message: original && presentAlone(viewer, original) }),
  };
}

/** A message without its reactions, and without the message to which it refers. */
function presentAlone(viewer: Viewer, message: Message): APIMessage {
  const { id, channelId, authorId, poll, command, snapshot, webhook } = message;
  const { model } = viewer;
  const sees = seesContent(viewer, message);
  return {
    ...presentContent({ ...viewer, seesContent: sees }, message),
    id,
    channel_id: channelId,
    author: authorOf(viewer, message),
    tts: false,
    pinned: message.pinnedAt !== null,
    mention_everyone: message.mentionsEveryone,
    ...(webhook ? { webhook_id: authorId } : {}),
    ...(message.reference ? { message_reference: presentReference(message.reference) } : {}),
    ...(snapshot
      ? {
          message_snapshots: [
            { message: presentContent({ ...viewer, seesContent: sees }, snapshot) },
          ],
        }
      : {}),
    ...(poll && sees ? { poll: presentPoll(poll) } : {}),
    ...(command ? presentCommand(viewer, command, model.bot.id) : {}),
  } as APIMessage;
}

/** Without the intent, the bot gets only the content of its own messages and of those that mention it. */
function seesContent({ model: { bot }, seesContent }: Viewer, message: Message): boolean {
  return seesContent || message.authorId === bot.id || message.mentionIds.includes(bot.id);
}

/** The content of a message or of a forwarded one. */
function presentContent(
  viewer: Viewer,
  message: Snapshot & Partial<Pick<Message, 'mentionIds' | 'mentionRoleIds'>>,
): object {
  const { model, links, seesContent: sees } = viewer;
  const { id, channelId, type, flags, stickers, mentionIds = [], mentionRoleIds = [] } = message;
  const { components, others } = presentComponents(message, (one) => links.sign(channelId, one));
  const mentioned = mentionIds.flatMap((userId) => model.users.get(userId) ?? []);
  return {
    type,
    flags,
    timestamp: isoOf(snowflakeTime(id)),
    edited_timestamp: message.editedMicros === null ? null : isoOfMicros(message.editedMicros),
    content: sees ? message.content : '',
    embeds: sees ? message.embeds : [],
    components: sees ? components : [],
    attachments: sees
      ? others.map((attachment) => presentAttachment(attachment, links.sign(channelId, attachment)))
      : [],
    ...(stickers.length > 0 ? { sticker_items: stickers } : {}),
    mentions: mentioned.map(presentUser),
    mention_roles: mentionRoleIds,
  };
}

function authorOf({ model }: Viewer, { authorId, webhook }: Message): APIUser {
  if (webhook) return presentWebhook(authorId, webhook);
  return presentUser(model.users.get(authorId)!);
}

function presentReference({
  type,
  channelId,
  guildId,
  messageId,
}: NonNullable<Message['reference']>): object {
  return {
    type,
    channel_id: channelId,
    guild_id: guildId,
    ...(messageId === undefined ? {} : { message_id: messageId }),
  };
}

function presentAttachment(attachment: Message['attachments'][0], url: string): APIAttachment {
  const { id, filename, size, contentType, description, width, height, isSpoiler, voice } =
    attachment;
  return {
    id,
    filename,
    size,
    url,
    proxy_url: url,
    content_type: contentType,
    ...(description === undefined ? {} : { description }),
    ...(width === undefined || height === undefined ? {} : { width, height }),
    ...(isSpoiler ? { flags: IsSpoiler } : {}),
    ...(voice ? { duration_secs: voice.seconds, waveform: voice.waveform } : {}),
  };
}

function presentReaction({ emoji, userIds }: Message['reactions'][0]): APIReaction {
  return {
    emoji: presentEmoji(emoji),
    count: userIds.size,
    count_details: { burst: 0, normal: userIds.size },
    burst_colors: [],
    me: false,
    me_burst: false,
  };
}

/** The emoji of a reaction. */
export function presentEmoji({ id, name, isAnimated }: Message['reactions'][0]['emoji']): {
  id: string | null;
  name: string;
  animated?: boolean;
} {
  return { id, name, ...(isAnimated ? { animated: true } : {}) };
}

function presentPoll({ question, answers, endsAt, isFinal }: Poll): object {
  return {
    question: { text: question },
    expiry: isoOf(endsAt),
    allow_multiselect: false,
    layout_type: 1,
    answers: answers.map(({ id, text }) => ({ answer_id: id, poll_media: { text } })),
    results: {
      is_finalized: isFinal,
      answer_counts: answers.map(({ id, voterIds }) => ({
        id,
        count: voterIds.size,
        me_voted: false,
      })),
    },
  };
}

function presentCommand(
  { model }: Viewer,
  { id, name, userId }: NonNullable<Message['command']>,
  applicationId: string,
): object {
  const user = presentUser(model.users.get(userId)!);
  return {
    application_id: applicationId,
    webhook_id: applicationId,
    interaction: { id, type: 2, name, user },
    interaction_metadata: { id, type: 2, user, authorizing_integration_owners: {} },
  };
}
