import { createRounds } from './rounds.js';
import type { Tasks } from './tasks.js';

/** How many threads have their events recorded at the same time. */
const AT_ONCE = 50;
/** How many events of one thread are recorded together at most. */
const MOST_TOGETHER = 100;

/** Records the events of each thread in order, and those of different threads at the same time. */
export interface ThreadLanes<T> {
  add(place: LanePlace, event: T): void;
}

/** A thread, and its server. */
export interface LanePlace {
  threadId: string;
  serverId: string;
}

interface Lane<T> extends LanePlace {
  waiting: T[];
}

interface LaneOptions<T> {
  tasks: Tasks;
  /** The promise that all events of a server have to wait for; null where they need not wait. */
  gate: (serverId: string) => Promise<void> | null;
  /** Records events of one thread. */
  record: (place: LanePlace, events: readonly T[]) => Promise<void>;
}

/**
 * Makes lanes without events. Events of a thread that come while others of it are being recorded are then recorded
 * together.
 */
export function createThreadLanes<T>({ tasks, gate, record }: LaneOptions<T>): ThreadLanes<T> {
  const lanes = new Map<string, Lane<T>>();
  const ready: Lane<T>[] = [];
  let running = 0;
  /** Has a lane wait for its server, then for its turn. */
  const queue = (lane: Lane<T>): void => {
    const opened = gate(lane.serverId);
    if (opened) {
      tasks.start(() => opened.then(() => queue(lane)));
      return;
    }
    ready.push(lane);
    tasks.start(beginSoon);
  };
  /** Returns how many lanes have begun. */
  const begin = (): number => {
    let begun = 0;
    while (running < AT_ONCE) {
      const lane = ready.shift();
      if (!lane) break;
      // Since this lane was queued, another event may have asked for a look at the server.
      if (gate(lane.serverId)) queue(lane);
      else {
        running += 1;
        begun += 1;
        tasks.start(() => run(lane));
      }
    }
    return begun;
  };
  const beginSoon = createRounds(begin);
  const run = async (lane: Lane<T>): Promise<void> => {
    try {
      await record(lane, lane.waiting.splice(0, MOST_TOGETHER));
    } finally {
      running -= 1;
    }
    if (lane.waiting.length > 0) queue(lane);
    else lanes.delete(lane.threadId);
    if (ready.length > 0) tasks.start(beginSoon);
  };
  return {
    add({ threadId, serverId }, event) {
      const known = lanes.get(threadId);
      if (known) return void known.waiting.push(event);
      const lane = { threadId, serverId, waiting: [event] };
      lanes.set(threadId, lane);
      queue(lane);
    },
  };
}
