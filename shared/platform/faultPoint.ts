/** Steps of the write side at which a test can make the process kill itself. */
export const FAULT_POINTS = [
  'beforeRecords',
  'recordsStored',
  'beforeBulk',
  'bulkSent',
  'beforeViews',
  'viewsStored',
  'deletionMarked',
  'erasureApplied',
  'rebuildCreated',
  'rebuildScanning',
  'rebuildChecked',
  'rebuildSwapped',
] as const;

export type FaultPoint = (typeof FAULT_POINTS)[number];

/** For each armed point: how many passes are left until the process kills itself. */
let armed: Map<string, number> | undefined;

/**
 * Makes the process kill itself the n-th time it reaches a point. `points` is `name:n,…` (FAULT_POINTS). For tests
 * alone.
 */
export function armFaultPoints(points: string): void {
  const pairs = points.split(',').map((point) => point.split(':'));
  armed = new Map(pairs.map(([name = '', times]) => [name, Number(times)]));
}

/** Kills the process here, if a test has armed this point. Otherwise it does nothing. */
export function faultPoint(point: FaultPoint): void {
  const left = armed?.get(point);
  if (left === undefined) return;
  if (left === 1) process.kill(process.pid, 'SIGKILL');
  armed?.set(point, left - 1);
}
