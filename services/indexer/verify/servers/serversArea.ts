import type { Collections } from '../../../../shared/store/collections.js';
import type { Area, AreaContext } from '../area.js';
import { within, type IdWindow } from '../idWindow.js';
import { checkErasedNames, checkServer, checkServerList, KINDS } from './checkServer.js';

/** What is shown of each server, and the list of them. */
export function serversArea({ deps, tally }: AreaContext): Area {
  const { collections } = deps;
  return {
    name: 'servers',
    total: () => collections.servers.estimatedDocumentCount(),
    async *windows(ids) {
      yield await Promise.resolve(ids ? { ids } : { after: '' });
    },
    async look(window) {
      const missing = await missingServers(collections);
      const found = missing.size > 0 ? [] : await checkServerList(collections);
      for (const serverId of await serverIds(collections, window)) {
        if (missing.has(serverId)) continue;
        tally('servers', 1);
        found.push(...(await checkServer(collections, serverId)));
        found.push(...(await checkErasedNames(collections, serverId)));
      }
      return found;
    },
  };
}

/** Servers that are not recorded though threads of theirs are, which tell of it: nothing of these is taken away. */
async function missingServers({ servers, threads }: Collections): Promise<Set<string>> {
  const known: string[] = await servers.distinct('_id');
  const missing = { serverId: { $nin: known }, deleted: { $ne: true } } as const;
  const ids: string[] = await threads.distinct('serverId', missing);
  return new Set(ids);
}

/** Servers that are recorded, or of which there is a body. */
async function serverIds({ servers, bodies }: Collections, window: IdWindow): Promise<string[]> {
  const recorded = await servers
    .find({ _id: within(window) }, { projection: { _id: 1 } })
    .toArray();
  const shown = await Promise.all(
    KINDS.map(async (kind) => {
      const named = within(window, `${kind}/`);
      const found = await bodies.find({ _id: named }, { projection: { _id: 1 } }).toArray();
      return found.map(({ _id }) => _id.slice(kind.length + 1));
    }),
  );
  const ids = [...recorded.map(({ _id }) => _id), ...shown.flat()];
  return [...new Set(ids)].sort();
}
