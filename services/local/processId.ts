import { readFileSync, readlinkSync } from 'node:fs';

/** A process that cannot be mistaken for a later one with the same number. */
export interface ProcessId {
  pid: number;
  /** When it started, in clock ticks since boot; empty where the system does not tell. */
  startedAt: string;
}

/** The identity of a running process; of this one by default. */
export function processId(pid = process.pid): ProcessId {
  return { pid, startedAt: statFields(pid)?.[19] ?? '' };
}

/** Whether this very process still runs (one that has ended and waits to be collected does not). */
export function isRunning({ pid, startedAt }: ProcessId): boolean {
  const fields = statFields(pid);
  return fields !== undefined && fields[19] === startedAt && fields[0] !== 'Z';
}

/** The parent's number, command line and working folder of a process, as far as they can be read. */
export function describeProcess(pid: number): { parent: number; command: string; cwd: string } {
  const parent = Number(statFields(pid)?.[1] ?? 0);
  return { parent, command: readCommand(pid), cwd: readCwd(pid) };
}

// The name in the second field may hold anything, so the fields are counted from after its last bracket.
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
