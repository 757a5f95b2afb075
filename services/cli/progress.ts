import { progressLine } from '../local/progress.js';
import { createReport } from '../local/report.js';

/** Shows how far a long piece of work has come. */
export interface Progress {
  advance(amount: number): void;
  /** Prints a line. On a terminal, it stands above the bar. */
  say(line: string): void;
  /** Ends the display. The terminal is then free for other output. */
  stop(): void;
}

const LOOK_EVERY_MS = 100;

/**
 * Shows progress on standard error: on a terminal a bar, elsewhere a line every five seconds. `show` formats an amount;
 * without it, only the share of `total` is shown.
 */
export function createProgress(
  label: string,
  total: number,
  show: (done: number, total: number) => string = () => '',
  out: NodeJS.WriteStream = process.stderr,
): Progress {
  const report = createReport(out);
  let done = 0;
  const tell = (): void => {
    report.progress(progressLine(label, total === 0 ? 1 : done / total, show(done, total)));
  };
  const timer = setInterval(tell, LOOK_EVERY_MS);
  tell();
  return {
    advance(amount) {
      done = Math.min(total, done + amount);
    },
    say(line) {
      report.line(line);
      tell();
    },
    stop() {
      clearInterval(timer);
      report.clear();
    },
  };
}
