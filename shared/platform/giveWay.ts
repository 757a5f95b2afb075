import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** One entry a thread of this process; Linux alone has it. */
const THREADS = '/proc/self/task';
/** The group of processes that Linux schedules as one, and its niceness: see sched(7). */
const GROUP = '/proc/self/autogroup';
const STATUS = '/proc/self/stat';

/**
 * Lets processes that somebody waits for have the processor first. `nice` is from 0, which changes nothing, to 19. It
 * costs nothing while a core is free. Linux counts the niceness of each thread by itself. It also gives each session of
 * processes the same share as any other, and counts niceness within a session alone. So a process that leads its
 * session lowers the session, too; it would take others along if it only belonged to it.
 */
export function giveWay(nice: number): void {
  if (nice === 0) return;
  const threads = existsSync(THREADS) ? readdirSync(THREADS).map(Number) : [process.pid];
  for (const thread of threads) {
    ignoringFailure(() => {
      if (getPriority(thread) < nice) setPriority(thread, nice);
    });
  }
  ignoringFailure(() => {
    if (leadsSession()) writeFileSync(GROUP, String(nice));
  });
}

/** Whether the session of this process is its own. The name of a process may hold spaces and brackets. */
function leadsSession(): boolean {
  const stat = readFileSync(STATUS, 'utf8');
  const [, , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return session === String(process.pid);
}

/** A thread may have ended meanwhile, a system may have no such groups, and none of it is needed for the work. */
function ignoringFailure(work: () => void): void {
  try {
    work();
  } catch {
    // The process goes on as it is.
  }
}
