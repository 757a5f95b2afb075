import type { EventStats, Fetched, SyncStats } from '../../../shared/contract/admin.js';
import { counted, formatCount } from '../numbers.js';

/** The rows of a status about the live sync, as name and value. */
export function syncRows(sync: SyncStats): [string, string][] {
  const excluded = [...sync.servers, ...sync.channels].filter(({ problem }) => problem !== null);
  const unread = sync.channels.filter(({ threads }) => threads.failed > 0);
  return [
    ['Synced threads', shown(sync.threads)],
    ['Synced messages', `${shown(sync.messages)}${pace(sync)}`],
    ...(sync.problem === null ? [] : [['Sync', sync.problem] satisfies [string, string]]),
    ...(sync.events === null ? [] : [['Events', events(sync.events)] satisfies [string, string]]),
    ...(sync.optedOut === 0
      ? []
      : [['Opted out', formatCount(sync.optedOut)] satisfies [string, string]]),
    ...excluded.map(({ name, problem }): [string, string] => ['Not synced', `${name}: ${problem}`]),
    ...unread.map(({ name, threads }): [string, string] => [
      'Cannot be read',
      `${name}: ${counted(threads.failed, 'thread')}, or messages there`,
    ]),
  ];
}

function events({ connectedAt, lastEventAt, waiting, problem }: EventStats): string {
  if (problem !== null) return problem;
  if (connectedAt === null) return 'not connected';
  const last = lastEventAt === null ? '' : `, the last at ${lastEventAt}`;
  return `connected since ${connectedAt}${last}, ${formatCount(waiting)} waiting`;
}

function shown({ found, fetched }: Fetched): string {
  return `${formatCount(fetched)} of ${formatCount(found)}`;
}

function pace({ perSecond, secondsLeft }: SyncStats): string {
  if (perSecond === 0) return '';
  const left = secondsLeft === null ? '' : `, ${timeLeft(secondsLeft)} left`;
  return ` (${perSecond} a second${left})`;
}

function timeLeft(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
