import type { Collections } from '../../../../shared/store/collections.js';
import type { ChannelRecord, ServerRecord } from '../../../../shared/store/records.js';
import {
  presentChannels,
  presentServer,
  presentStats,
  presentTags,
} from '../../views/serverViews.js';
import { compareIds } from '../../views/tallyPeople.js';
import { etagOf } from '../../stores/entityTag.js';
import { compareBody } from '../compareBody.js';
import type { Difference } from '../difference.js';
import { erasedTraces } from '../erasedTraces.js';
import { recountServer } from './recountServer.js';

/** The kinds of body that a server has. */
export const KINDS = ['server', 'channels', 'tags', 'stats'] as const;

/** The bodies of a server, its statistics counted again; none of one that was deleted or is not recorded. */
export async function checkServer(
  collections: Collections,
  serverId: string,
): Promise<Difference[]> {
  const server = await collections.servers.findOne({ _id: serverId });
  const texts = server && !server.deleted ? await textsOf(collections, server) : null;
  const found = await Promise.all(
    KINDS.map((kind) => compare(collections, serverId, `${kind}/${serverId}`, texts?.[kind])),
  );
  return found.flat();
}

/** Nobody who was erased is named in a server's description or a topic of its channels. */
export async function checkErasedNames(
  collections: Collections,
  serverId: string,
): Promise<Difference[]> {
  const { inText } = await erasedTraces(collections);
  const server = await collections.servers.findOne({ _id: serverId });
  const channels = collections.channels.find({ serverId, topic: { $type: 'string' } });
  const found: Difference[] = [];
  const look = (text: string | null | undefined, detail: string, version: number): void => {
    for (const userId of inText(text ?? '')) {
      const basis = String(version);
      found.push({ kind: 'erased.kept', id: serverId, detail, basis, clue: { userId } });
    }
  };
  if (server) look(server.description, 'In its description', server.version);
  for await (const { _id, topic, version } of channels)
    look(topic, `In the topic of ${_id}`, version);
  return found;
}

/** The list of all servers. */
export async function checkServerList(collections: Collections): Promise<Difference[]> {
  const servers = await collections.servers.find({ deleted: { $ne: true } }).toArray();
  const list = servers.sort((left, right) => compareIds(left._id, right._id)).map(presentServer);
  const stored = await collections.bodies.findOne({ _id: 'servers/all' });
  // An archive in which there never was a server has no list yet.
  if (list.length === 0 && !stored) return [];
  return compare(collections, 'all', 'servers/all', JSON.stringify({ servers: list }));
}

async function textsOf(
  collections: Collections,
  server: ServerRecord,
): Promise<Record<(typeof KINDS)[number], string>> {
  const serverId = server._id;
  const channels: ChannelRecord[] = await collections.channels
    .find({ serverId, deleted: { $ne: true } })
    .toArray();
  const counts = await recountServer(collections, server, channels);
  return {
    server: JSON.stringify(presentServer(server)),
    channels: JSON.stringify(presentChannels(channels)),
    tags: JSON.stringify(presentTags(channels)),
    stats: JSON.stringify(presentStats(server, channels, counts)),
  };
}

async function compare(
  collections: Collections,
  serverId: string,
  name: string,
  text: string | undefined,
): Promise<Difference[]> {
  const stored = await collections.bodies.findOne({ _id: name });
  const etag = text === undefined ? '' : etagOf(text);
  const must = { isShown: text !== undefined, ...(text !== undefined && { etag }) };
  const differs = await compareBody(collections, stored ?? undefined, must);
  if (!differs || differs.problem === 'stale') return [];
  const basis = `${stored?.etag} ${etag}`;
  const detail = differs.problem === 'missing' ? `There is no ${name}` : differs.detail;
  return [{ kind: `server.${differs.problem}`, id: serverId, detail, basis }];
}
