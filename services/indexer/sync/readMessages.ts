import { randomUUID } from 'node:crypto';
import { isProofOfDeletion, PlatformAway } from '../../../shared/discordApi/platformErrors.js';
import { messageRequest } from '../../../shared/discordApi/requests.js';
import { forEachAtOnce } from '../../../shared/platform/forEachAtOnce.js';
import { syncOf, type SyncMessage } from '../../../shared/store/syncRecords.js';
import { isPermanent, isTransient } from '../permanentErrors.js';
import type { Documents } from '../work/change.js';
import { recordMessages } from './recordMessages.js';
import { removeDeletedMessages } from './removeDeleted.js';
import { rest } from '../rest.js';
import { channelsOf, type SyncDeps } from './syncDeps.js';

/** How long after an event (ms) a message is read again. By then a burst of reactions is over. */
const READ_AFTER_MS = 30_000;
const LOOK_EVERY_MS = 1_000;
const AT_ONCE = 4;

/** A message, and the thread, channel and server in which it was written. */
export type MessagePlace = Pick<SyncMessage, 'messageId' | 'threadId' | 'serverId' | 'channelId'>;

const idOf = (messageId: string): string => `message/${messageId}`;

/** The documents that `putReadAgain` reads. */
export function readsOfReadAgain(messageIds: readonly string[]): { sync: string[] } {
  return { sync: messageIds.map(idOf) };
}

/** Notes that a message is to be read again, some time after the first event that asks for it. */
export function putReadAgain(
  documents: Documents,
  { messageId, threadId, serverId, channelId }: MessagePlace,
): void {
  const _id = idOf(messageId);
  const known = documents.get('sync', _id) as SyncMessage | null;
  documents.put('sync', {
    _id,
    kind: 'message',
    messageId,
    threadId,
    serverId,
    channelId,
    dueAt: known?.dueAt ?? soon(),
    token: randomUUID(),
  });
}

function soon(): Date {
  return new Date(Date.now() + READ_AFTER_MS);
}

/** Reads the messages that are noted to be read again, until the signal is aborted. */
export async function readMessages(deps: SyncDeps): Promise<void> {
  const messages = syncOf(deps.collections.sync, 'message');
  while (!deps.signal.aborted) {
    const due = await messages
      .find({
        kind: 'message',
        dueAt: { $lte: new Date() },
        channelId: { $in: channelsOf(deps.servers) },
      })
      .sort({ dueAt: 1 })
      .limit(AT_ONCE)
      .toArray();
    await forEachAtOnce(due, AT_ONCE, (one) => tryMessage(deps, one));
    if (due.length < AT_ONCE) await rest(LOOK_EVERY_MS, deps.signal);
  }
}

/** Reads one message again. A message that cannot be read is given up, as its thread is read once more some day. */
async function tryMessage(deps: SyncDeps, one: SyncMessage): Promise<void> {
  const messages = syncOf(deps.collections.sync, 'message');
  const { _id, token } = one;
  try {
    await readMessage(deps, one);
  } catch (error) {
    if (deps.signal.aborted) return;
    if (error instanceof PlatformAway || isTransient(error)) {
      await messages.updateOne({ _id }, { $set: { dueAt: soon() } });
      return;
    }
    if (!isPermanent(error)) throw error;
  }
  const { deletedCount } = await messages.deleteOne({ _id, token });
  // Another event has come meanwhile, and the answer may be older than it.
  if (deletedCount === 0) await messages.updateOne({ _id }, { $set: { dueAt: soon() } });
}

async function readMessage(deps: SyncDeps, one: SyncMessage): Promise<void> {
  const { platform, signal } = deps;
  const { messageId, threadId } = one;
  try {
    const answer = await platform.get(messageRequest(threadId, messageId), signal);
    await recordMessages(deps, one, [answer]);
  } catch (error) {
    if (!isProofOfDeletion(error)) throw error;
    await removeDeletedMessages(deps, { threadId }, [messageId]);
  }
}
