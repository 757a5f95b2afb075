import type {
  MessageRecord,
  PartTimes,
  ReactionRecord,
  SourceMessage,
} from '../../../shared/store/records.js';
import { isLive } from '../../../shared/store/sourceTime.js';
import { isNewer } from './messageOrder.js';

type Message = SourceMessage & Pick<MessageRecord, 'deleted'>;
type Part = keyof PartTimes;

const PARTS: readonly Part[] = ['displayName', 'reactions', 'reactors', 'text', 'mentionNames'];

/**
 * Merges what a source tells of a message with its record. The later of the two is taken whole, except for parts that
 * the other holds from a later time. Of two live texts the one that was edited later wins, whichever arrived later.
 * Null when the source changes nothing. Sources may arrive in any order: the result is the same.
 */
export function mergeMessage(told: Message, before: MessageRecord): Message | null {
  // Nothing of the record is kept where the message was erased.
  if (told.deleted) return isNewer(told, before) ? told : null;
  const isToldNewer = isNewer(told, before);
  const [winner, other]: Message[] = isToldNewer ? [told, before] : [before, told];
  const taken = PARTS.filter((part) => isPartNewer(part, other!, winner!));
  if (taken.length === 0) return isToldNewer ? told : null;
  return taken.reduce((message, part) => withPart(message, part, other!), winner!);
}

/** When a part of a message was told; 0 for never. */
function partTime({ asOf, partsAsOf }: Message, part: Part): number {
  return partsAsOf?.[part] ?? asOf;
}

function isPartNewer(part: Part, other: Message, winner: Message): boolean {
  if (part === 'displayName') return isNameNewer(other, winner);
  const [at, winnersAt] = [partTime(other, part), partTime(winner, part)];
  if (part !== 'text') return at > winnersAt;
  // An export's times of editing are only as true as the export. So they decide nothing.
  if (!isLive(other.asOf) || !isLive(winner.asOf)) return false;
  const [edited, winnersEdited] = [editedTime(other), editedTime(winner)];
  return edited === winnersEdited ? at > winnersAt : edited > winnersEdited;
}

/**
 * Whether a display name is taken in place of another one. Of two that were told for the same time, the greater text is
 * taken, as of other values. For names of accounts, which count as told at the time 0, that is the time of the message.
 * The name of somebody else is never taken: where an account was deleted, the platform names another author.
 */
function isNameNewer(other: Message, winner: Message): boolean {
  if (other.author.id !== winner.author.id) return false;
  const [at, winnersAt] = [partTime(other, 'displayName'), partTime(winner, 'displayName')];
  if (at !== winnersAt) return at > winnersAt;
  const isSameTime = at > 0 || other.asOf === winner.asOf;
  return isSameTime && other.author.displayName > winner.author.displayName;
}

function editedTime({ editedAt }: Message): number {
  return editedAt?.getTime() ?? 0;
}

const TAKE: Record<Part, (message: Message, other: Message) => Partial<Message>> = {
  displayName: ({ author }, other) => ({
    author: { ...author, displayName: other.author.displayName },
  }),
  reactions: ({ reactions: before }, { reactions }) => ({
    reactions: reactions.map((reaction) => withReactors(reaction, before)),
  }),
  reactors: ({ reactions }, other) => ({
    reactions: reactions.map((reaction) => withReactors(reaction, other.reactions)),
  }),
  text: (message, { content, editedAt, embeds, attachments, mentions, mentionedRoles = [] }) => ({
    content,
    editedAt,
    embeds,
    attachments,
    mentions: withNames(mentions, message.mentions),
    ...(mentionedRoles.length > 0 && { mentionedRoles }),
  }),
  mentionNames: ({ mentions }, other) => ({ mentions: withNames(mentions, other.mentions) }),
};

function withPart(message: Message, part: Part, other: Message): Message {
  const { [part]: _before, ...times } = message.partsAsOf ?? {};
  const at = partTime(other, part);
  if (at !== message.asOf) Object.assign(times, { [part]: at });
  const { partsAsOf: _times, ...taken } = { ...message, ...TAKE[part](message, other) };
  return Object.keys(times).length === 0 ? taken : { ...taken, partsAsOf: times };
}

/** Mentions, with the display names that `others` give the same people. */
function withNames(
  mentions: Message['mentions'],
  others: Message['mentions'],
): Message['mentions'] {
  const names = new Map(others.map(({ id, displayName }) => [id, displayName]));
  return mentions.map((one) => ({ ...one, displayName: names.get(one.id) ?? one.displayName }));
}

/**
 * A reaction with the ids of those who reacted, as `others` hold them. Where `others` hold more ids than there are
 * reactions now, somebody has taken a reaction back, and nobody knows who. Then the reaction stays as it is.
 */
function withReactors(reaction: ReactionRecord, others: readonly ReactionRecord[]): ReactionRecord {
  const { id, name } = reaction.emoji;
  const known = others.find(({ emoji }) => emoji.id === id && (id !== null || emoji.name === name));
  const isWhole = known && known.userIds.length <= reaction.count;
  return isWhole ? { ...reaction, userIds: known.userIds } : reaction;
}
