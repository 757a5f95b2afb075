import type { IndexerDeps } from '../deps.js';
import { storeBodies } from '../stores/bodyWriter.js';
import { clearMarks, dirtyMarks } from '../stores/dirtyMarks.js';
import { nextVersion } from '../stores/nextVersion.js';
import { countServer, listAllServers } from './countServer.js';

const BATCH = 20;

/** Counts the servers that are marked. Returns how many it did. */
export async function refreshServers(deps: IndexerDeps, by?: Date): Promise<number> {
  const { dirty } = deps.collections;
  const marks = await dirtyMarks(dirty, 'server', { limit: BATCH, by });
  if (marks.length === 0) return 0;
  await countServers(
    deps,
    marks.map(({ _id }) => _id.slice('server/'.length)),
  );
  await clearMarks(dirty, marks);
  return marks.length;
}

/** Writes some servers' bodies and statistics again. */
export async function countServers(
  { collections, announcer }: Pick<IndexerDeps, 'collections' | 'announcer'>,
  serverIds: string[],
): Promise<void> {
  const version = await nextVersion(collections.counters);
  for (const serverId of serverIds) {
    const texts = await countServer(collections, serverId);
    if (texts) await storeBodies(collections, texts, version);
  }
  await storeBodies(collections, await listAllServers(collections), version);
  announcer.announce({ servers: serverIds });
}
