import type { AdminStats } from '../../../shared/contract/admin.js';
import type { ServerStats } from '../../../shared/contract/servers.js';
import type { Collections } from '../../../shared/store/collections.js';
import { identityOf } from '../answer.js';
import { loadBody, type BodyStore } from '../bodies/findBody.js';
import { orNull } from './orNull.js';

type Store = BodyStore & Pick<Collections, 'servers'>;
type Totals = AdminStats['archive'];

/**
 * The totals of the archive: the stored statistics of all servers, added up. A total is null where it cannot be read.
 */
export async function archiveTotals(store: Store): Promise<Totals> {
  const serverIds = await orNull(listServerIds(store));
  const sums = serverIds && (await orNull(addUp(store, serverIds)));
  const { channels = null, threads = null, messages = null, users = null } = sums ?? {};
  return { servers: serverIds?.length ?? null, channels, threads, messages, users };
}

async function listServerIds({ servers }: Store): Promise<string[]> {
  const alive = { deleted: { $ne: true } };
  const found = await servers.find(alive, { projection: { _id: 1 } }).toArray();
  return found.map(({ _id }) => _id);
}

async function addUp(store: Store, serverIds: readonly string[]) {
  const sums = { channels: 0, threads: 0, messages: 0, users: 0 };
  const all = await Promise.all(serverIds.map((serverId) => loadBody(store, `stats/${serverId}`)));
  for (const body of all) {
    // A server that has just been imported may have no statistics yet.
    if (!body) continue;
    const { stats } = JSON.parse((await identityOf(body)).toString()) as ServerStats;
    sums.channels += stats.channels;
    sums.threads += stats.threads.total;
    sums.messages += stats.messages.total;
    sums.users += stats.participants.unique;
  }
  return sums;
}
