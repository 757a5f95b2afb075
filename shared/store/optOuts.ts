import type { Collections } from './collections.js';
import { findGathered } from './gather.js';
import type { MessageRecord } from './records.js';
import { stateOf } from './state.js';

/** Who is left out of which servers. */
export interface OptOuts {
  readonly version: number;
  /** Whether anybody is left out of anything. */
  readonly isEmpty: boolean;
  has(serverId: string, userId: string): boolean;
}

type Store = Pick<Collections, 'optOuts' | 'state'>;

const NOBODY: OptOuts = { version: 0, isEmpty: true, has: () => false };
const known = new WeakMap<object, OptOuts>();

/** The id of somebody on a server. */
export function memberId(serverId: string, userId: string): string {
  return `${serverId}/${userId}`;
}

/** Who is left out now; the records are read again only after one has changed. */
export async function optedOut(store: Store): Promise<OptOuts> {
  const state = await findGathered(stateOf(store.state, 'optOuts'), 'optOuts');
  if (!state) return NOBODY;
  const before = known.get(store.state);
  if (before?.version === state.version) return before;
  const records = await store.optOuts.find({}, { projection: { _id: 1 } }).toArray();
  const ids = new Set(records.map(({ _id }) => _id));
  const now: OptOuts = {
    ...{ version: state.version, isEmpty: ids.size === 0 },
    has: (serverId, userId) => ids.has(memberId(serverId, userId)),
  };
  known.set(store.state, now);
  return now;
}

/**
 * Messages of a server as they may be shown: without those of people who are left out, which are `hidden`, and without
 * what others forward of them.
 */
export async function withoutLeftOut(
  collections: Pick<Collections, 'messages'>,
  left: OptOuts,
  serverId: string,
  messages: MessageRecord[],
): Promise<{ shown: MessageRecord[]; hidden: MessageRecord[] }> {
  if (left.isEmpty) return { shown: messages, hidden: [] };
  const isHidden = ({ author }: MessageRecord): boolean => left.has(serverId, author.id);
  const others = messages.filter((message) => !isHidden(message));
  const originals = await leftOutOriginals(collections, left, serverId, others);
  const shown = others.map((message) =>
    originals.has(message.reference?.messageId ?? '') ? { ...message, forwarded: null } : message,
  );
  return { shown, hidden: messages.filter(isHidden) };
}

type Forward = Pick<MessageRecord, 'forwarded' | 'reference'>;

/**
 * Ids of those messages that some messages of a server forward, and whose authors are left out where they wrote them.
 */
export async function leftOutOriginals(
  { messages }: Pick<Collections, 'messages'>,
  left: OptOuts,
  serverId: string,
  forwards: readonly Forward[],
): Promise<ReadonlySet<string>> {
  if (left.isEmpty) return new Set();
  const serverOf = new Map(
    forwards.flatMap(({ forwarded, reference }): [string, string][] =>
      forwarded && reference?.messageId
        ? [[reference.messageId, reference.guildId ?? serverId]]
        : [],
    ),
  );
  if (serverOf.size === 0) return new Set();
  const originals = await messages
    .find({ _id: { $in: [...serverOf.keys()] } }, { projection: { 'author.id': 1 } })
    .toArray();
  const gone = originals.filter(({ _id, author }) => left.has(serverOf.get(_id)!, author.id));
  return new Set(gone.map(({ _id }) => _id));
}
