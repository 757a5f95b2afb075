import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** Holds an entry for each thread of this process; Linux alone has it. */
const THREADS = '/proc/self/task';
/** The group of processes that Linux schedules as one, and its niceness: sched(7), "The autogroup feature". */
const GROUP = '/proc/self/autogroup';
const STATUS = '/proc/self/stat';

/**
 * Lets processes that somebody waits for have the processor first. `nice` is from 0, which changes nothing, to 19. It
 * costs nothing while a core is free. Linux counts the niceness of each thread by itself. Where it groups processes by
 * their sessions, each group has the same share, and niceness counts within a group alone. So a process that leads its
 * session lowers the group, too. A process that only belongs to a session would lower all others of it.
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

/** Whether the session of this process is its own. The name of a process may hold spaces and brackets. */
function leadsSession(): boolean {
  const stat = readFileSync(STATUS, 'utf8');
  const [, , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return session === String(process.pid);
}

/**
 * A thread may have ended meanwhile. A system may have no such groups, or refuse to lower a second one within a tenth
 * of a second. The process then goes on as it is.
 */
function ignoringFailure(work: () => void): void {
  try {
    work();
  } catch {
    // None of it is needed for the work.
  }
}
