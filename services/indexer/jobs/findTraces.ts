import { TITLE_CHANGE } from '../../../shared/exportFormat/messageTypes.js';
import { batches } from '../../../shared/platform/batches.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { ErasureRecord } from '../../../shared/store/erasureRecords.js';
import { erasedPeople, noteNames, type ErasedPeople } from '../../../shared/store/erasures.js';
import { MESSAGE_BATCH } from '../../../shared/store/messageBatch.js';
import type { MessageRecord } from '../../../shared/store/records.js';
import type { IndexerDeps } from '../deps.js';
import { applyErasures } from '../../../shared/store/applyErasures.js';
import { eraseFields, eraseThread } from '../../../shared/store/eraseThread.js';
import { idLister, idWindows, within } from '../records/idWindow.js';
import { slices } from '../records/slices.js';
import { unlessDamaged } from '../records/unlessDamaged.js';
import type { Report } from '../report.js';

/** Where something of somebody is recorded or shown. */
export interface Traces {
  threadIds: string[];
  serverIds: string[];
  /** Names by which they went. */
  names: string[];
  /** How many messages hold something of them. */
  messages: number;
  /** Those of the messages that were theirs. */
  removedMessages: number;
  profiles: number;
}

/** How many messages one query reads. */
const PAGE = 1_000;
/** How many messages one query looks through for mentions. */
const LOOKED_THROUGH = 20_000;

/**
 * Finds what is recorded of erased people. It reads all messages once, because their ids may stand in any text. It
 * changes no message and no thread: these are cleaned when the threads that it found are built.
 */
export async function findTraces(
  deps: IndexerDeps,
  erasure: ErasureRecord,
  report: Report,
): Promise<Traces> {
  const { collections } = deps;
  const userId = erasure.userId!;
  const names = await knownNames(collections, erasure, userId);
  const erased = await erasedPeople(collections);
  const profiles = await collections.bodies.countDocuments({ _id: `user/${userId}` });
  const threadIds = new Set<string>();
  const counts = { messages: 0, removedMessages: 0 };
  const total = await collections.messages.estimatedDocumentCount();
  let read = 0;
  for await (const batch of batches(everyMessage(collections), MESSAGE_BATCH)) {
    const unclean = batch.filter((message) => {
      const clean = unlessDamaged(() => applyErasures(message, erased));
      // Nobody can tell whom a damaged message shows. So its thread counts as a trace. It cannot be built, and is taken
      // out of all that is read.
      if (clean === null) threadIds.add(message.threadId);
      return clean !== null && clean !== message;
    });
    for (const { threadId } of unclean) threadIds.add(threadId);
    counts.messages += unclean.filter((message) => isAbout(message, erased)).length;
    counts.removedMessages += unclean.filter(({ author }) => erased.has(author.id)).length;
    report((read += batch.length), total);
  }
  const alive = collections.threads.find({ deleted: { $ne: true } });
  const { since = 0 } = erasure;
  for await (const thread of alive) {
    // A build or an import may have cleaned its records since the request.
    const isCleaned = (thread.cleanedFor ?? -1) >= since;
    if (isCleaned || eraseThread(thread, erased) !== thread) threadIds.add(thread._id);
  }
  const serverIds = await serversOf(collections, userId, [...threadIds]);
  for await (const { serverId, ...channel } of collections.channels.find({}))
    if (eraseFields(channel, erased) !== channel) serverIds.add(serverId);
  for await (const server of collections.servers.find({}))
    if (eraseFields(server, erased) !== server) serverIds.add(server._id);
  return { threadIds: [...threadIds], serverIds: [...serverIds], names, ...counts, profiles };
}

/**
 * Whether a message that is cleaned holds something of erased people. The first erasure of an archive also empties the
 * notices of new titles, whomever they name. These are not counted for that alone.
 */
function isAbout(message: MessageRecord, erased: ErasedPeople): boolean {
  if (message.type !== TITLE_CHANGE) return true;
  const untitled = { ...message, content: '' };
  return applyErasures(untitled, erased) !== untitled;
}

/**
 * Yields all messages in the order of their ids. Whole messages may be large, so the driver holds only as many as one
 * answer of MongoDB. No cursor stays open for longer than a page.
 */
async function* everyMessage({
  messages,
}: Pick<Collections, 'messages'>): AsyncGenerator<MessageRecord> {
  for (let last = ''; ;) {
    let left = PAGE;
    const page = messages
      .find({ _id: { $gt: last } })
      .sort({ _id: 1 })
      .limit(PAGE);
    for await (const message of page) {
      yield message;
      last = message._id;
      left -= 1;
    }
    if (left > 0) return;
  }
}

async function serversOf(
  { members, threads }: Collections,
  userId: string,
  threadIds: string[],
): Promise<Set<string>> {
  const places: string[][] = await Promise.all([
    members.distinct('serverId', { userId }),
    ...slices(threadIds).map((some) => threads.distinct('serverId', { _id: { $in: some } })),
  ]);
  return new Set(places.flat());
}

/**
 * Names by which somebody went: in their profile when the erasure was requested, in their messages, in mentions of them,
 * and in answers to their commands. All are stored with the erasure until it is done, as a second run could not find
 * them.
 */
async function knownNames(
  collections: Collections,
  { _id, names }: ErasureRecord,
  userId: string,
): Promise<string[]> {
  const { messages } = collections;
  const theirs = { 'author.id': userId };
  const found = new Set<unknown>(names);
  // They may have written millions of messages. One query over all of them might take longer than a call may.
  const snapshots = messages.find(theirs, {
    projection: { 'author.username': 1, 'author.displayName': 1 },
    batchSize: LOOKED_THROUGH,
  });
  for await (const { author } of snapshots) {
    // A damaged message may hold a list in place of an author.
    for (const { username, displayName } of [author].flat()) found.add(username).add(displayName);
  }
  for await (const name of namesInOthers(messages, userId)) found.add(name);
  // In a damaged message, a name may be something else than a text.
  const known = [...found].filter((name) => typeof name === 'string');
  await noteNames(collections, _id, known);
  return known;
}

/**
 * Names under which messages of others mention somebody, or say that they answer a command of theirs. No index holds
 * them, so all messages are looked through, some at a time. A query over all of them might keep MongoDB busy for longer
 * than a connection may be silent.
 */
async function* namesInOthers(
  messages: Collections['messages'],
  userId: string,
): AsyncGenerator<string> {
  const isNamed = { $or: [{ 'mentions.id': userId }, { 'interaction.userId': userId }] };
  for await (const window of idWindows([idLister(messages)], LOOKED_THROUGH)) {
    const naming = messages.find(
      { _id: within(window), ...isNamed },
      { projection: { mentions: 1, interaction: 1 } },
    );
    for await (const { mentions, interaction } of naming) {
      // A damaged message may hold one mention in place of a list, or none where a list has one.
      const theirs = [mentions].flat().filter((one) => unlessDamaged(() => one.id) === userId);
      for (const { username, displayName } of theirs) yield* [username, displayName];
      if (interaction?.userId === userId) yield interaction.username;
    }
  }
}
