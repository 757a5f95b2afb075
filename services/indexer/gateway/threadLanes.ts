import { createThreadRounds } from './rounds.js';
import type { Tasks } from '../sync/tasks.js';

/** How many events of one thread are recorded together at most. */
const MOST_TOGETHER = 100;

/** Records the events of each thread in order, and those of different threads at the same time. */
export interface ThreadLanes<T> {
  add(place: LanePlace, event: T): void;
  /** The threads of a server that have events which are not recorded yet. */
  waiting(serverId: string): LanePlace[];
}

/** A thread, and its server. */
export interface LanePlace {
  threadId: string;
  serverId: string;
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
  const lanes = new Map<string, LanePlace & { waiting: T[] }>();
  const rounds = createThreadRounds({
    tasks,
    gate: (threadId) => gate(lanes.get(threadId)!.serverId),
    async run(threadId) {
      const lane = lanes.get(threadId)!;
      await record(lane, lane.waiting.splice(0, MOST_TOGETHER));
      if (lane.waiting.length > 0) rounds.ask(threadId);
      else lanes.delete(threadId);
    },
  });
  return {
    add(place, event) {
      const known = lanes.get(place.threadId);
      if (known) return void known.waiting.push(event);
      lanes.set(place.threadId, { ...place, waiting: [event] });
      rounds.ask(place.threadId);
    },
    waiting: (serverId) => [...lanes.values()].filter((lane) => lane.serverId === serverId),
  };
}
