import type { JobPayloads } from '../../../shared/jobs/jobs.js';
import type { IndexerDeps } from '../deps.js';
import { settle } from '../project/settle.js';
import { raiseRevision } from '../records/threadRevision.js';
import { REDACTED } from '../records/tombstones.js';

/** Removes a message: done when nothing of it can be read. A thread keeps its author when its first message goes. */
export async function deleteMessage(
  deps: IndexerDeps,
  { messageId }: JobPayloads['delete-message'],
): Promise<{ messages: number }> {
  const { messages, threads } = deps.collections;
  const message = await messages.findOne({ _id: messageId });
  if (!message) return { messages: 0 };
  const { threadId, author } = message;
  if (messageId === threadId && !message.deleted) {
    const filter = { _id: threadId, ownerId: null, deleted: { $ne: true } };
    await threads.updateOne(filter, { $set: { ownerId: author.id } });
  }
  const thread = await threads.findOne({ _id: threadId });
  await raiseRevision(threads, threadId);
  await messages.updateOne({ _id: messageId }, { $set: REDACTED });
  await raiseRevision(threads, threadId);
  await settle(deps, { _id: threadId }, thread ? [thread.serverId] : []);
  return { messages: message.deleted ? 0 : 1 };
}
