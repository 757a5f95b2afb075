import type { WriteStream } from 'node:tty';

/** Where the launcher reports what it does: by lines, and by a state that the next one replaces. */
export interface Report {
  line(text: string): void;
  progress(text: string): void;
}

const PLAIN_INTERVAL_MS = 5000;

/**
 * Makes a report to a stream. On a terminal, a progress line overwrites the one before. Elsewhere, one is printed every
 * 5 s.
 */
export function createReport(out: Pick<WriteStream, 'write'> & { isTTY?: boolean }): Report {
  return out.isTTY === true ? terminalReport(out) : plainReport(out);
}

function terminalReport(out: Pick<WriteStream, 'write'>): Report {
  let open = false;
  return {
    line(text) {
      out.write(`${open ? '\r\x1b[K' : ''}${text}\n`);
      open = false;
    },
    progress(text) {
      out.write(`\r\x1b[K${text}`);
      open = true;
    },
  };
}

function plainReport(out: Pick<WriteStream, 'write'>): Report {
  let last = 0;
  return {
    line: (text) => void out.write(`${text}\n`),
    progress(text) {
      if (Date.now() - last < PLAIN_INTERVAL_MS) return;
      last = Date.now();
      out.write(`${text}\n`);
    },
  };
}

/** The seconds since a time of `performance.now()`, such as `3.2 s`. */
export function secondsSince(start: number): string {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}
