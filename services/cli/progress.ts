import cliProgress from 'cli-progress';

/** Shows how far a long piece of work has come. */
export interface Progress {
  advance(amount: number): void;
  /** Prints a line. On a terminal, it stands above the bar. */
  say(line: string): void;
  /** Ends the display. The terminal is then free for other output. */
  stop(): void;
}

/** Columns of a bar. With the longest label, and amounts of gigabytes, its line fits into 80 columns. */
const BAR_COLUMNS = 24;
const PLAIN_INTERVAL_MS = 5_000;

/**
 * Shows progress on standard error: on a terminal a bar, elsewhere a line every five seconds. `show` formats an amount.
 */
export function createProgress(
  label: string,
  total: number,
  show: (done: number, total: number) => string,
  out: NodeJS.WriteStream = process.stderr,
): Progress {
  return out.isTTY ? barProgress(label, total, show, out) : plainProgress(label, total, show, out);
}

type Show = (done: number, total: number) => string;

function barProgress(label: string, total: number, show: Show, out: NodeJS.WriteStream): Progress {
  const bar = new cliProgress.SingleBar(
    {
      stream: out,
      format: `${label} [{bar}] {percentage}%  {shown}`,
      barsize: BAR_COLUMNS,
      hideCursor: true,
      clearOnComplete: true,
    },
    cliProgress.Presets.legacy,
  );
  let done = 0;
  const draw = (): void => bar.start(total, done, { shown: show(done, total) });
  const restore = onSignal(() => bar.stop());
  draw();
  return {
    advance(amount) {
      done = Math.min(total, done + amount);
      bar.update(done, { shown: show(done, total) });
    },
    say(line) {
      bar.stop();
      out.write(`${line}\n`);
      draw();
    },
    stop: restore,
  };
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Has a signal run `end` before it ends the process. A bar hides the cursor and turns off line wrapping, and a signal
 * would leave the terminal like that. Returns a function that runs `end` without a signal.
 */
function onSignal(end: () => void): () => void {
  const stop = (): void => {
    for (const signal of SIGNALS) process.off(signal, interrupted);
    end();
  };
  const interrupted = (signal: NodeJS.Signals): void => {
    stop();
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.once(signal, interrupted);
  return stop;
}

function plainProgress(
  label: string,
  total: number,
  show: Show,
  out: Pick<NodeJS.WriteStream, 'write'>,
): Progress {
  let done = 0;
  const timer = setInterval(() => {
    out.write(`${label}: ${show(done, total)}\n`);
  }, PLAIN_INTERVAL_MS);
  return {
    advance(amount) {
      done = Math.min(total, done + amount);
    },
    say(line) {
      out.write(`${line}\n`);
    },
    stop: () => clearInterval(timer),
  };
}
