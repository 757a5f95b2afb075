import type { Participant, ParticipantList } from '../../../shared/contract/threads.js';
import type { AuthorSnapshot, MessageRecord } from '../../../shared/store/records.js';
import { tellsDisplayName } from '../../../shared/store/sourceTime.js';
import type { ContributionView, ThreadFacts } from '../../../shared/store/views.js';
import type { ServiceLinks } from './serviceLinks.js';

const DAY_MS = 86_400_000;

/** What one person did in one thread, counted message by message. */
interface Tally {
  author: AuthorSnapshot;
  /** The last display name that a source told, and when they wrote by it. */
  named?: { displayName: string; at: Date };
  isWebhook: boolean;
  messages: number;
  reactions: number;
  threads: number;
  firstAt: Date;
  lastAt: Date;
  days: Map<number, { messages: number; threads: number; reactions: number }>;
}

/** What is shown of a tally. */
type Counted = Pick<Tally, 'author' | 'messages' | 'firstAt' | 'lastAt'>;

/** Counts a thread's people and reactions; messages come in order. */
export interface PeopleTally {
  add(message: MessageRecord, started: boolean): void;
  participants(): ParticipantList;
  /** What each person did. A webhook takes part, but is no person. */
  contributions(threadId: string, serverId: string, revision: number): ContributionView[];
  facts(): Pick<ThreadFacts, 'messages' | 'botMessages' | 'reactions'>;
}

/** Makes an empty tally. `started`, given to add(), is true for the message that counts as starting the thread. */
export function tallyPeople(files: Pick<ServiceLinks, 'avatar'>): PeopleTally {
  const people = new Map<string, Tally>();
  const emojis = new Map<string, number>();
  let messages = 0;
  let botMessages = 0;
  return {
    add(message, started) {
      messages += 1;
      if (message.author.isBot) botMessages += 1;
      for (const { emoji, count } of message.reactions) {
        // A custom emoji may be renamed, and have the name of another.
        const key = emoji.id ?? emoji.name;
        emojis.set(key, (emojis.get(key) ?? 0) + count);
      }
      addTo(people, message, started);
    },
    participants: () =>
      listParticipants(
        [...people.values()].map(({ author, isWebhook, ...counts }) => ({
          author: isWebhook ? author : { ...author, avatar: files.avatar(author) },
          ...counts,
        })),
      ),
    contributions: (threadId, serverId, revision) =>
      [...people.values()]
        .filter(({ isWebhook }) => !isWebhook)
        .map((tally) => contribution(tally, threadId, serverId, revision)),
    facts: () => ({
      messages,
      botMessages,
      reactions: [...emojis].map(([emoji, count]) => ({ emoji, count })),
    }),
  };
}

/** Days since the epoch, UTC. */
export function dayOf(time: Date): number {
  return Math.floor(time.getTime() / DAY_MS);
}

/** When a day begins. */
export function startOf(day: number): Date {
  return new Date(day * DAY_MS);
}

function addTo(people: Map<string, Tally>, message: MessageRecord, started: boolean): void {
  const { author, createdAt } = message;
  const tally = people.get(author.id) ?? emptyTally(message);
  people.set(author.id, tally);
  // People are shown as in their last message. The time at which it was told plays no part: a source that says the same
  // later changes no view.
  tally.author = author;
  if (tellsDisplayName(message)) tally.named = { displayName: author.displayName, at: createdAt };
  const reactions = message.reactions.reduce((sum, { count }) => sum + count, 0);
  const day = tally.days.get(dayOf(createdAt)) ?? { messages: 0, threads: 0, reactions: 0 };
  tally.days.set(dayOf(createdAt), day);
  for (const total of [tally, day]) {
    total.messages += 1;
    total.reactions += reactions;
    total.threads += started ? 1 : 0;
  }
  tally.lastAt = createdAt;
}

function emptyTally({ author, webhook, createdAt }: MessageRecord): Tally {
  return {
    author,
    isWebhook: webhook ?? false,
    messages: 0,
    reactions: 0,
    threads: 0,
    firstAt: createdAt,
    lastAt: createdAt,
    days: new Map(),
  };
}

/** A thread's participants. Whoever wrote most comes first. */
function listParticipants(tallies: Counted[]): ParticipantList {
  const participants = tallies.map(presentParticipant).sort(byMessagesThenId);
  const bots = participants.filter(({ isBot }) => isBot).length;
  return { total: participants.length, humans: participants.length - bots, bots, participants };
}

function presentParticipant({ author, messages, firstAt, lastAt }: Counted): Participant {
  return {
    userId: author.id,
    username: author.username,
    displayName: author.displayName,
    avatar: author.avatar,
    isBot: author.isBot,
    messageCount: messages,
    firstMessageAt: firstAt.toISOString(),
    lastMessageAt: lastAt.toISOString(),
  };
}

function byMessagesThenId(left: Participant, right: Participant): number {
  return right.messageCount - left.messageCount || compareIds(left.userId, right.userId);
}

/** Compares snowflakes as numbers: by length, then text. */
export function compareIds(left: string, right: string): number {
  return left.length - right.length || (left < right ? -1 : left > right ? 1 : 0);
}

function contribution(
  tally: Tally,
  threadId: string,
  serverId: string,
  revision: number,
): ContributionView {
  const { id: userId, discriminator: _discriminator, ...author } = tally.author;
  const { named, messages, threads, reactions, firstAt, lastAt } = tally;
  const days = [...tally.days].map(([day, counts]) => ({ day, ...counts }));
  return {
    _id: `${threadId}/${userId}`,
    threadId,
    userId,
    serverId,
    revision,
    messages,
    threads,
    reactions,
    firstAt,
    lastAt,
    author: { ...author, displayName: named?.displayName ?? author.displayName },
    ...(named && { namedAt: named.at }),
    days,
  };
}
