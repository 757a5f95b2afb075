import type { Collections } from './collections.js';
import { findGathered } from './gather.js';
import { stateOf } from './state.js';

/** Who is left out of which servers. */
export interface OptOuts {
  readonly version: number;
  /** Whether nobody is left out of any server. */
  readonly isEmpty: boolean;
  has(serverId: string, userId: string): boolean;
  /** Whether somebody is left out of at least one server. */
  hasAnywhere(userId: string): boolean;
}

type Store = Pick<Collections, 'optOuts' | 'state'>;

/** The opt-outs of an archive in which nobody has opted out. */
export const NOBODY_LEFT_OUT: OptOuts = {
  version: 0,
  isEmpty: true,
  has: () => false,
  hasAnywhere: () => false,
};
const known = new WeakMap<object, OptOuts>();

/** The id of a person on a server. */
export function memberId(serverId: string, userId: string): string {
  return `${serverId}/${userId}`;
}

/** Who is left out now. The records are read again only after one has changed. */
export async function optedOut(store: Store): Promise<OptOuts> {
  const state = await findGathered(stateOf(store.state, 'optOuts'), 'optOuts');
  if (!state) return NOBODY_LEFT_OUT;
  const before = known.get(store.state);
  if (before?.version === state.version) return before;
  const records = await store.optOuts.find({}, { projection: { userId: 1 } }).toArray();
  const ids = new Set(records.map(({ _id }) => _id));
  const userIds = new Set(records.map(({ userId }) => userId));
  const now: OptOuts = {
    version: state.version,
    isEmpty: ids.size === 0,
    has: (serverId, userId) => ids.has(memberId(serverId, userId)),
    hasAnywhere: (userId) => userIds.has(userId),
  };
  known.set(store.state, now);
  return now;
}
