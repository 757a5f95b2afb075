import type { Collections } from './collections.js';
import { findGathered } from './gather.js';
import { loadByVersion } from './loadByVersion.js';
import { pagesById } from './pagesById.js';
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

/** How many opt-outs one call reads. Between two calls, the process does other work. */
const READ_AT_ONCE = 5_000;

/** The id of a person on a server. */
export function memberId(serverId: string, userId: string): string {
  return `${serverId}/${userId}`;
}

/** The person of a `memberId`. */
export function userOfMember(member: string): string {
  return member.slice(member.indexOf('/') + 1);
}

/** Who is left out now. The records are read again only after one has changed. */
export async function optedOut(store: Store): Promise<OptOuts> {
  const state = await findGathered(stateOf(store.state, 'optOuts'), 'optOuts');
  return state ? loadOptOuts(store, state.version) : NOBODY_LEFT_OUT;
}

const loadOptOuts = loadByVersion(async ({ optOuts }: Store, version): Promise<OptOuts> => {
  const ids = new Set<string>();
  const userIds = new Set<string>();
  // The index of the ids holds all that is needed.
  const pages = pagesById(optOuts, { size: READ_AT_ONCE, projection: { _id: 1 } });
  for await (const page of pages) {
    for (const { _id } of page) {
      ids.add(_id);
      userIds.add(userOfMember(_id));
    }
  }
  return {
    version,
    isEmpty: ids.size === 0,
    has: (serverId, userId) => ids.has(memberId(serverId, userId)),
    hasAnywhere: (userId) => userIds.has(userId),
  };
});
