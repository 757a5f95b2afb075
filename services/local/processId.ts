import { readFileSync, readlinkSync } from 'node:fs';

/** Identifies a process. A later process with the same number has another start time. */
export interface ProcessId {
  pid: number;
  /** When it started (clock ticks since boot). Empty where the system does not tell. */
  startedAt: string;
}

/** Identifies a running process; by default, this one. */
export function processId(pid = process.pid): ProcessId {
  return { pid, startedAt: statFields(pid)?.[19] ?? '' };
}

/** Whether this very process still runs. A process that has ended, but is not yet collected by its parent, does not. */
export function isRunning({ pid, startedAt }: ProcessId): boolean {
  const fields = statFields(pid);
  return fields !== undefined && fields[19] === startedAt && fields[0] !== 'Z';
}

/** The number of a process's parent, its command line, and its working folder, as far as they can be read. */
export function describeProcess(pid: number): { parent: number; command: string; cwd: string } {
  const parent = Number(statFields(pid)?.[1] ?? 0);
  return { parent, command: readCommand(pid), cwd: readCwd(pid) };
}

// The second field, the name, may hold anything. So fields are counted from behind its last bracket.
function statFields(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

function readCwd(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}
