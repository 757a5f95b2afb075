import type { Difference } from '../difference.js';
import { erasedForGood } from '../erasedForGood.js';
import { erasedTraces } from '../erasedTraces.js';
import { differenceOf, type ThreadCheck } from './threadLook.js';

/**
 * Nothing that was deleted is still recorded: words of deleted threads, threads of deleted places, erased people. What
 * is recorded has its thread, channel and server.
 */
export const checkRemovals: ThreadCheck = async ({ deps, threads, strays, channels }) => {
  const { servers } = deps.collections;
  const gone = await servers.distinct('_id', { deleted: true });
  const goneServers = new Set<string>(gone);
  const isErased = await erasedForGood(deps.collections);
  const traces = await erasedTraces(deps.collections);
  const found: Difference[] = [...strays].map(([id, messages]) => ({
    kind: 'orphan.message',
    id,
    detail: `${messages} messages`,
    basis: '',
  }));
  for (const one of threads.values()) {
    const { thread, count, isOrphan } = one;
    const isOfGone = goneServers.has(thread.serverId) || channels.get(thread.channelId)?.deleted;
    const said = count.ids.length + count.notices;
    if (count.kept > 0) {
      const detail = `${count.kept} deleted messages have words`;
      found.push(differenceOf(one, 'deleted.kept', detail, { messagesOnly: true }));
    }
    if (thread.deleted && said > 0) {
      found.push(differenceOf(one, 'deleted.kept', `${said} messages have words`));
    } else if (!thread.deleted && isOfGone) {
      found.push(differenceOf(one, 'deleted.kept', 'Its channel or server was deleted'));
    } else if (isOrphan) {
      const { channelId, serverId } = thread;
      const detail = `Channel ${channelId} or server ${serverId} is not recorded`;
      found.push(differenceOf(one, 'orphan.thread', detail));
    }
    const named = traces.inText(`${thread.title} ${thread.ownerId ?? ''}`);
    const authors = [...count.people.keys(), ...count.noticed];
    const back = new Set([...authors.filter(isErased), ...named]);
    found.push(
      ...[...back].map((userId) =>
        differenceOf(one, 'erased.kept', `Of user ${userId}`, { userId }),
      ),
    );
  }
  return found;
};
