import { readFileSync } from 'node:fs';
import type { Client } from '@elastic/elasticsearch';
import type { Redis } from 'ioredis';
import type { Mongo } from '../shared/platform/clients.js';

/** The kernel counts in hundredths of a second, whatever the frequency of its own clock. */
const TICKS_PER_SECOND = 100;

/**
 * How much CPU time all threads of a process on this machine have used so far, in user and system mode (s); undefined
 * where it has ended.
 */
export function cpuSeconds(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold anything. Behind it, the first field is the state; user and system time are 11
    // fields on.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}

/** The resident memory of a process on this machine (MB); undefined where it has ended. */
export function residentMegabytes(pid: number): number | undefined {
  return statusMegabytes(pid, 'VmRSS');
}

/** The most resident memory that a process on this machine ever had (MB); undefined where it has ended. */
export function peakMegabytes(pid: number): number | undefined {
  return statusMegabytes(pid, 'VmHWM');
}

function statusMegabytes(pid: number, field: 'VmRSS' | 'VmHWM'): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const kilobytes = new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1];
    return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1_024);
  } catch {
    return undefined;
  }
}

/** The process ids of the three servers, by name. They are only right where the servers run on this machine. */
export async function serverProcesses(
  { db }: Pick<Mongo, 'db'>,
  elasticsearch: Client,
  redis: Redis,
): Promise<Record<string, number>> {
  const { nodes } = await elasticsearch.nodes.info({ metric: 'process' });
  const { pid } = await db.admin().serverStatus();
  const info = await redis.info('server');
  return {
    Elasticsearch: Object.values(nodes)[0]?.process?.id ?? 0,
    MongoDB: Number(pid),
    Redis: Number(/process_id:(\d+)/.exec(info)?.[1]),
  };
}

/** Measures the CPU time that processes use from now until the returned function is called (s). */
export function cpuOf(pids: Record<string, number>): () => Record<string, number> {
  const before = Object.entries(pids).map(([name, pid]) => [name, pid, cpuSeconds(pid)] as const);
  return () =>
    Object.fromEntries(
      before.map(([name, pid, began]) => [name, (cpuSeconds(pid) ?? NaN) - (began ?? NaN)]),
    );
}

/** CPU times (s) as text, with their sum. */
export function listed(seconds: Record<string, number>): string {
  const parts = Object.entries(seconds).map(([name, used]) => `${name} ${used.toFixed(1)}`);
  const sum = Object.values(seconds).reduce((total, used) => total + used, 0);
  return `${parts.join(', ')}, together ${sum.toFixed(1)}`;
}
