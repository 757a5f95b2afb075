/** Steps of the write side at which a test can have the process killed. */
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

/** For each armed point: at which pass from now the process kills itself. */
let armed: Map<string, number> | undefined;

/**
 * Has the process kill itself the n-th time it reaches a point. `points` is `name:n,…` (FAULT_POINTS). For tests alone.
 */
export function armFaultPoints(points: string): void {
  const pairs = points.split(',').map((point) => point.split(':'));
  armed = new Map(pairs.map(([name = '', times]) => [name, Number(times)]));
}

/** A step that a process may not survive. Does nothing unless a test has armed it. */
export function faultPoint(point: FaultPoint): void {
  const left = armed?.get(point);
  if (left === undefined) return;
  if (left === 1) process.kill(process.pid, 'SIGKILL');
  armed?.set(point, left - 1);
}
