import type { LoopKind } from '../../../shared/store/work.js';
import { buildPeople } from '../build/buildPeople.js';
import { buildServers } from '../build/buildServers.js';
import { buildShown } from '../build/buildShown.js';
import { buildThreads } from '../build/buildThread.js';
import {
  fanOutChannels,
  fanOutLinks,
  fanOutLists,
  fanOutMembers,
  fanOutServers,
} from '../build/fanOut.js';
import { quarantineThread } from '../build/quarantineThread.js';
import type { IndexerDeps } from '../deps.js';
import { mirrorFiles, quarantineFiles } from '../mirror/mirrorFiles.js';
import { isMirrorAway } from '../mirror/ownMirror.js';
import type { Work } from './tryMarks.js';
import { findSimilarAgain, waitForOthers } from '../similar/findSimilarAgain.js';

/** How the background loops do the marks of one kind. */
export interface Kind extends Work {
  /** How many marks are done at once at most. */
  batch: number;
  /**
   * Whether the work stores something that shows people. Until it is done, somebody who was erased meanwhile may still
   * be shown.
   */
  showsPeople: boolean;
  /** Whether marks of this kind have to wait for something else now. */
  isHeldBack?: (deps: IndexerDeps) => Promise<boolean>;
}

/** The kinds of work that follow from a change, in the order in which one leads to the next. */
export const KINDS: Record<LoopKind, Kind> = {
  // A channel's name, tags or deletion: its threads show them.
  channel: { batch: 20, run: fanOutChannels, showsPeople: false },
  // A server's name: profiles of its people show it.
  people: { batch: 20, run: fanOutServers, showsPeople: false },
  // A person is left out of a server, or is not left out any more: the threads in which they wrote.
  member: { batch: 20, run: fanOutMembers, showsPeople: false },
  // A thread's records: its views and search documents. A batch is large, as each build waits for the stores most of
  // the time.
  thread: { batch: 200, run: buildThreads, quarantine: quarantineThread, showsPeople: true },
  // A thread or channel appeared, went, or has another name: as for `lists`, and threads that link to it show its name.
  links: { batch: 100, run: fanOutLinks, showsPeople: true },
  // A thread was built again: lists of similar threads show a line about it, and caches are to be told of it.
  lists: { batch: 100, run: fanOutLists, showsPeople: true },
  // A person's part in threads: totals, leaderboards and profile.
  person: { batch: 200, run: buildPeople, showsPeople: true },
  // A server's records, threads or people: its bodies. The subject `all` stands for the list of servers.
  server: { batch: 20, run: buildServers, showsPeople: true },
  // A thread's text: which threads are similar to it.
  similar: { batch: 20, run: findSimilarAgain, showsPeople: false, isHeldBack: waitForOthers },
  // A thread's list of similar threads: the body that shows them.
  shown: { batch: 100, run: buildShown, showsPeople: true },
  // A thread, or the picture of a person or of a server: the copies of the files that they show. The subject `all`
  // stands for everything.
  mirror: {
    batch: 20,
    run: mirrorFiles,
    quarantine: quarantineFiles,
    showsPeople: false,
    isHeldBack: isMirrorAway,
  },
};

/** Every kind of work that the background loops do, in the same order. */
export const ALL_KINDS = Object.keys(KINDS) as LoopKind[];
