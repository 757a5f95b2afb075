import { ALL_SERVERS, BODY_KINDS, SERVER_LIST } from '../../../../shared/store/bodyKinds.js';
import type { Collections } from '../../../../shared/store/collections.js';
import { countServer, listAllServers } from '../../build/countServer.js';
import type { BodyTexts } from '../../stores/bodyWriter.js';
import type { Area, AreaContext } from '../area.js';
import { compareTexts } from '../compareBodies.js';
import type { Difference } from '../difference.js';
import { erasedTraces } from '../erasedTraces.js';
import { within, type IdWindow } from '../../records/idWindow.js';

/**
 * What readers are shown of each server, and the list of servers. Both are made again from the records, and compared.
 */
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
      const found = missing.size > 0 ? [] : await compareList(deps);
      for (const serverId of await serverIds(collections, window)) {
        if (missing.has(serverId)) continue;
        tally('servers', 1);
        const texts = await countServer(deps, serverId);
        found.push(...(await compareServer(collections, serverId, texts)));
        found.push(...(await erasedNames(collections, serverId)));
      }
      return found;
    },
  };
}

/** Compares the list of servers. An archive that has never had a server has no list yet. */
async function compareList(deps: AreaContext['deps']): Promise<Difference[]> {
  const { collections } = deps;
  const stored = await collections.bodies.countDocuments({ _id: SERVER_LIST });
  const recorded = await collections.servers.countDocuments({ deleted: { $ne: true } });
  if (stored + recorded === 0) return [];
  return compareServer(collections, ALL_SERVERS, await listAllServers(deps));
}

async function compareServer(
  collections: Collections,
  id: string,
  texts: BodyTexts,
): Promise<Difference[]> {
  const found = await compareTexts(collections, texts);
  return found.map(({ name, detail, basis }) => {
    return { kind: 'server.wrong', id, detail: `${name} ${detail}`, basis };
  });
}

/** Looks for the ids of erased people in a server's description and in the topics of its channels. */
async function erasedNames(
  { servers, channels, ...collections }: Collections,
  serverId: string,
): Promise<Difference[]> {
  const { inText } = await erasedTraces(collections);
  const server = await servers.findOne({ _id: serverId });
  const inside = await channels.find({ serverId }).toArray();
  const texts = [
    ...(server
      ? [{ text: [server.name, server.description], where: 'its name or description', of: server }]
      : []),
    ...inside.map((one) => ({
      text: [
        one.name,
        one.topic,
        one.parentName,
        ...(one.availableTags ?? []).map((tag) => tag.name),
      ],
      where: `the name, topic or tags of ${one._id}`,
      of: one,
    })),
  ];
  return texts.flatMap(({ text, where, of }) =>
    inText(text.join(' ')).map((userId): Difference => {
      const basis = JSON.stringify(of.stamps);
      return { kind: 'erased.kept', id: serverId, detail: `In ${where}`, basis, clue: { userId } };
    }),
  );
}

/**
 * Resolves with the servers that are not recorded although threads of theirs are. These threads are reported
 * themselves, and nothing of these servers is removed.
 */
async function missingServers({ servers, threads }: Collections): Promise<Set<string>> {
  const known: string[] = await servers.distinct('_id');
  const missing = { serverId: { $nin: known }, deleted: { $ne: true } } as const;
  const ids: string[] = await threads.distinct('serverId', missing);
  return new Set(ids);
}

/** Resolves with the servers that are recorded, or that have a body. */
async function serverIds({ servers, bodies }: Collections, window: IdWindow): Promise<string[]> {
  const recorded: string[] = await servers.distinct('_id', { _id: within(window) });
  const shown = await Promise.all(
    BODY_KINDS.server.map(async (kind) => {
      const named: string[] = await bodies.distinct('_id', { _id: within(window, `${kind}/`) });
      return named.map((name) => name.slice(kind.length + 1));
    }),
  );
  return [...new Set([...recorded, ...shown.flat()])].sort();
}
