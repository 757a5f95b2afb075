import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** Has an entry for each thread of this process. Only Linux has it. */
const THREADS = '/proc/self/task';
/** The group that Linux schedules as one, and its niceness: sched(7), "The autogroup feature". */
const GROUP = '/proc/self/autogroup';
const STATUS = '/proc/self/stat';

/**
 * Lowers the priority of this process, so that other processes get the processor first. `nice` is 0, which changes
 * nothing, to 19. It costs nothing while a core is free.
 *
 * Linux has a niceness for each thread. Where Linux groups processes by their sessions, each group gets the same share
 * of the processor, and the niceness of a thread counts only within its group. So the group is lowered as well, if this
 * process leads its session. Otherwise the group also holds processes that must not be lowered.
 */
export function giveWay(nice: number): void {
  if (nice === 0) return;
  for (const thread of threads()) {
    ignoringFailure(() => {
      if (getPriority(thread) < nice) setPriority(thread, nice);
    });
  }
  ignoringFailure(() => {
    if (leadsSession()) writeFileSync(GROUP, String(nice));
  });
}

function threads(): number[] {
  try {
    return readdirSync(THREADS).map(Number);
  } catch {
    // Elsewhere a process has one niceness.
    return [process.pid];
  }
}

/** Whether this process leads its session. The name of a process may hold spaces and brackets. */
function leadsSession(): boolean {
  const stat = readFileSync(STATUS, 'utf8');
  const [, , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return session === String(process.pid);
}

/**
 * Tries something that may fail. A thread may have ended meanwhile. A system may have no groups. Linux refuses an
 * ordinary user who changes two groups within a tenth of a second. In each case the process keeps the priority that it
 * has.
 */
function ignoringFailure(work: () => void): void {
  try {
    work();
  } catch {
    // No work depends on it.
  }
}
