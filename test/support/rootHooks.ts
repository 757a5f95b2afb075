import { countResources, leftOpen } from './openResources.js';

/*
 * A file of tests fails where a promise was rejected and nobody handled that, and where sockets, servers or child
 * processes are still open at its end. Where one process runs all files, this is checked at the end of the last file.
 * Where anything else keeps the process alive after that, the process is ended, and counts as failed.
 */
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
    const leaked = await leftOpen(before);
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
