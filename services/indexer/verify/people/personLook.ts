import type { MemberView, RankView } from '../../../../shared/store/views.js';
import type { UserRecord } from '../../../../shared/store/records.js';
import type { IndexerDeps } from '../../deps.js';
import type { AreaContext } from '../area.js';
import type { Difference } from '../difference.js';
import type { IdWindow } from '../idWindow.js';
import type { PersonTotals } from './recountPeople.js';

/** One look at the people of a window. */
export interface PeopleLook {
  deps: IndexerDeps;
  window: IdWindow;
  tally: AreaContext['tally'];
  /** The UTC day for which rolling periods are counted, in days since the epoch. */
  today: number;
  users: ReadonlyMap<string, UserRecord>;
  totals: ReadonlyMap<string, PersonTotals>;
  /** Stored rows, by `<serverId>/<userId>`. */
  members: ReadonlyMap<string, MemberView>;
  /** Stored lines of leaderboards, by their `_id`. */
  ranks: ReadonlyMap<string, RankView>;
}

/** Compares one thing of a window's people with what it must be. */
export type PeopleCheck = (look: PeopleLook) => Promise<Difference[]>;
