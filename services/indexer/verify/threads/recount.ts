import type {
  AttachmentRecord,
  AuthorSnapshot,
  MessageRecord,
  ThreadRecord,
} from '../../../../shared/store/records.js';

/** What counting needs of a message. */
export type CountedMessage = Pick<
  MessageRecord,
  '_id' | 'threadId' | 'author' | 'asOf' | 'createdAt'
> & {
  reactions: { emoji: { name: string }; count: number }[];
  attachments: Pick<AttachmentRecord, 'id'>[];
  forwarded?: { attachments?: Pick<AttachmentRecord, 'id'>[] } | null;
};

/** A message as it is read, with what tells whether readers see it. */
export type ReadMessage = CountedMessage & Pick<MessageRecord, 'counted' | 'deleted'>;

/** The fields of a ReadMessage. */
export const READ_FIELDS = {
  threadId: 1,
  author: 1,
  asOf: 1,
  createdAt: 1,
  counted: 1,
  deleted: 1,
  'reactions.emoji.name': 1,
  'reactions.count': 1,
  'attachments.id': 1,
  'forwarded.attachments.id': 1,
} as const;

/** What one person did in a thread. */
export interface PersonCount {
  author: AuthorSnapshot;
  asOf: number;
  messages: number;
  threads: number;
  reactions: number;
  firstAt: Date;
  lastAt: Date;
  /** By UTC day, in days since the epoch. */
  days: Map<number, { messages: number; threads: number; reactions: number }>;
}

/** A thread counted from its messages, apart from how the views are counted. */
export interface Recount {
  /** Ids of the messages that readers see, and of what is attached to them, in order. */
  ids: string[];
  attachments: string[];
  bots: number;
  emojis: Map<string, number>;
  people: Map<string, PersonCount>;
  /** Notices, which readers do not see, and who they are of; messages that were deleted and still have words. */
  notices: number;
  noticed: Set<string>;
  kept: number;
  /** The message that counts as starting the thread. */
  starterId?: string;
  lastAt?: Date;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Nothing counted yet. */
export function emptyRecount(): Recount {
  const unseen = { notices: 0, noticed: new Set<string>(), kept: 0 };
  return { ids: [], attachments: [], bots: 0, emojis: new Map(), people: new Map(), ...unseen };
}

/** Notes one that readers do not see. */
export function countUnseen(count: Recount, { author, deleted }: ReadMessage): void {
  if (deleted) {
    count.kept += 1;
    return;
  }
  count.notices += 1;
  count.noticed.add(author.id);
}

/** Counts one more message; a thread's messages come in order. */
export function countMessage(
  count: Recount,
  { _id: threadId, ownerId }: Pick<ThreadRecord, '_id' | 'ownerId'>,
  message: CountedMessage,
): void {
  const isFirst = count.ids.length === 0;
  const isStarter =
    count.starterId === undefined &&
    ((isFirst && (message._id === threadId || !ownerId)) || message.author.id === ownerId);
  if (isStarter) count.starterId = message._id;
  count.ids.push(message._id);
  const attached = [...message.attachments, ...(message.forwarded?.attachments ?? [])];
  count.attachments.push(...attached.map(({ id }) => id));
  if (message.author.isBot) count.bots += 1;
  for (const { emoji, count: given } of message.reactions) add(count.emojis, emoji.name, given);
  count.lastAt = message.createdAt;
  countPerson(count.people, message, isStarter ? 1 : 0);
}

function countPerson(
  people: Recount['people'],
  { author, asOf, createdAt, reactions }: CountedMessage,
  threads: number,
): void {
  const person = people.get(author.id) ?? newcomer(author, asOf, createdAt);
  people.set(author.id, person);
  if (asOf >= person.asOf) {
    person.author = author;
    person.asOf = asOf;
  }
  const day = Math.floor(createdAt.getTime() / DAY_MS);
  const received = reactions.reduce((sum, { count }) => sum + count, 0);
  const before = person.days.get(day) ?? { messages: 0, threads: 0, reactions: 0 };
  person.days.set(day, {
    messages: before.messages + 1,
    threads: before.threads + threads,
    reactions: before.reactions + received,
  });
  person.messages += 1;
  person.threads += threads;
  person.reactions += received;
  person.lastAt = createdAt;
}

function newcomer(author: AuthorSnapshot, asOf: number, firstAt: Date): PersonCount {
  const none = { messages: 0, threads: 0, reactions: 0 };
  return { author, asOf, ...none, firstAt, lastAt: firstAt, days: new Map() };
}

function add(counts: Map<string, number>, name: string, amount: number): void {
  counts.set(name, (counts.get(name) ?? 0) + amount);
}
