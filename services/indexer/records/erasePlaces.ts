import type { Collections } from '../../../shared/store/collections.js';
import type { ErasedPeople } from '../../../shared/store/erasures.js';
import { dirtyServer, markDirty } from '../stores/dirtyMarks.js';
import { textEraser } from './eraseText.js';

/**
 * Takes erased people out of topics and descriptions, which may mention anyone. Each server is marked before a text of
 * it changes. Resolves with the servers of those that did.
 */
export async function erasePlaces(
  { channels, servers, dirty }: Pick<Collections, 'channels' | 'servers' | 'dirty'>,
  erased: ErasedPeople,
): Promise<string[]> {
  const { text } = textEraser(erased);
  const changed = new Set<string>();
  const note = async (serverId: string): Promise<void> => {
    changed.add(serverId);
    await markDirty(dirty, [dirtyServer(serverId)]);
  };
  for await (const { _id, serverId, topic } of channels.find({ topic: { $type: 'string' } })) {
    if (!topic || text(topic) === topic) continue;
    await note(serverId);
    await channels.updateOne({ _id, topic }, { $set: { topic: text(topic) }, $inc: CHANGED });
  }
  for await (const { _id, description } of servers.find({ description: { $type: 'string' } })) {
    if (!description || text(description) === description) continue;
    await note(_id);
    const update = { $set: { description: text(description) }, $inc: CHANGED };
    await servers.updateOne({ _id, description }, update);
  }
  return [...changed];
}

const CHANGED = { version: 1 } as const;
