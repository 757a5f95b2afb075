import type { WriteStream } from 'node:tty';

/** Where the launcher reports what it does: by lines, and by a state that the next one replaces. */
export interface Report {
  line(text: string): void;
  /** Shows a state, unless one was shown a moment ago. */
  progress(text: string): void;
}

const TERMINAL_EVERY_MS = 100;
const PLAIN_EVERY_MS = 5_000;
const CLEAR = '\r\x1b[K';

/**
 * Makes a report to a stream. On a terminal, a progress line overwrites the one before. Elsewhere, one is printed every
 * 5 s. `clear` removes the progress line from a terminal.
 */
export function createReport(
  out: Pick<WriteStream, 'write'> & { isTTY?: boolean; columns?: number },
): Report & { clear(): void } {
  // A terminal of this kind, such as one inside an editor, knows no escape sequence.
  const isTerminal = out.isTTY === true && process.env['TERM'] !== 'dumb';
  let shownAt = isTerminal ? -Infinity : performance.now();
  let isOpen = false;
  const clear = (): void => {
    if (isOpen) out.write(CLEAR);
    if (isTerminal) shownAt = -Infinity;
    isOpen = false;
  };
  return {
    clear,
    line(text) {
      clear();
      out.write(`${text}\n`);
    },
    progress(text) {
      const now = performance.now();
      if (now - shownAt < (isTerminal ? TERMINAL_EVERY_MS : PLAIN_EVERY_MS)) return;
      shownAt = now;
      // A line that is broken by the terminal could not be overwritten.
      out.write(isTerminal ? CLEAR + text.slice(0, (out.columns || 80) - 1) : `${text}\n`);
      isOpen = isTerminal;
    },
  };
}

/** The seconds since a time of `performance.now()`, such as `3.2 s`. */
export function secondsSince(start: number): string {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}
