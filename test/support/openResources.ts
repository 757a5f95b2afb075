import { setTimeout as delay } from 'node:timers/promises';

/** What must be closed by whoever opened it. */
const WATCHED = [
  'TCPSocketWrap',
  'TCPServerWrap',
  'PipeWrap',
  'ProcessWrap',
  'UDPWrap',
  'MessagePort',
  'FSEventWrap',
];
const CLOSING_MS = 30_000;

/** How many sockets, servers, child processes and the like keep this process alive, by their names in Node. */
export function countResources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of process.getActiveResourcesInfo()) {
    if (WATCHED.includes(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/**
 * What is open besides what was open before, such as `2 TCPSocketWrap`. Resolves once nothing is, or after half a
 * minute, because closing takes a while.
 */
export async function leftOpen(
  before: Map<string, number>,
  closingMs = CLOSING_MS,
): Promise<string[]> {
  const end = performance.now() + closingMs;
  for (;;) {
    const left = findLeaks(before, countResources());
    if (left.length === 0 || performance.now() >= end) return left;
    await delay(20);
  }
}

function findLeaks(earlier: Map<string, number>, later: Map<string, number>): string[] {
  return [...later].flatMap(([name, count]) => {
    const extra = count - (earlier.get(name) ?? 0);
    return extra > 0 ? [`${extra} ${name}`] : [];
  });
}
