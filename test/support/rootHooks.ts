import { setTimeout as delay } from 'node:timers/promises';
import { endHosts } from './runOnHost.js';

/*
 * A file of tests fails where a promise was rejected and nobody handled that, and where sockets, servers or child
 * processes are still open at its end. Where one process runs all files, this is checked at the end of the last file.
 * Where anything else keeps the process alive after that, the process is ended, and counts as failed.
 */
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
const EXIT_LIMIT_MS = 60_000;

const rejections: unknown[] = [];
const noteRejection = (reason: unknown): void => {
  rejections.push(reason);
};
process.on('unhandledRejection', noteRejection);

// Some tests show progress on a terminal of their own, which is no plain one like that of this process may be.
process.env['TERM'] = 'xterm';

let before = new Map<string, number>();

export const mochaHooks = {
  beforeAll(): void {
    // Where several processes run the files, mocha removes all listeners after each file.
    process.off('unhandledRejection', noteRejection).on('unhandledRejection', noteRejection);
    before = countResources();
  },

  async afterAll(): Promise<void> {
    endHosts();
    let leaked = findLeaks(before, countResources());
    for (
      const end = performance.now() + CLOSING_MS;
      leaked.length > 0 && performance.now() < end;
    ) {
      await delay(50);
      leaked = findLeaks(before, countResources());
    }
    const unseen = rejections.splice(0);
    if (unseen.length > 0) throw new Error(`Unhandled rejection: ${String(unseen[0])}`);
    if (leaked.length > 0) throw new Error(`Left open after the last test: ${leaked.join(', ')}`);
  },
};

/**
 * Runs after everything, mocha's own report included. It names what keeps the process alive, and ends it as failed.
 * Where several processes run the files, mocha ends them by itself.
 */
export function mochaGlobalTeardown(): void {
  setTimeout(() => {
    const resources = process.getActiveResourcesInfo().join(', ');
    console.error(`The process does not end by itself. It is kept alive by: ${resources}`);
    process.exit(1);
  }, EXIT_LIMIT_MS).unref();
}

function countResources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of process.getActiveResourcesInfo()) {
    if (WATCHED.includes(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** What there is more of than before, such as `2 TCPSocketWrap`. */
export function findLeaks(earlier: Map<string, number>, later: Map<string, number>): string[] {
  return [...later].flatMap(([name, count]) => {
    const extra = count - (earlier.get(name) ?? 0);
    return extra > 0 ? [`${extra} ${name}`] : [];
  });
}
