import { interruptListener } from './interruptListener.js';

/** Ctrl-C, `kill`, and a terminal that is closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs work that would leave something half done if the process ended in its middle. When the process is asked to end,
 * this aborts the signal of the work. The work then puts in order what it has begun, and throws the signal's reason, or an
 * AbortError. Only then the process ends, by the signal that it got. Where the work is completed all the same, its result
 * counts. Whoever asks once more, such as by a second Ctrl-C, ends the process at once.
 */
export async function endingInOrder<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const asked = new AbortController();
  let askedBy: NodeJS.Signals | undefined;
  const endBy = (signal: NodeJS.Signals): void => {
    stopListening();
    process.kill(process.pid, signal);
  };
  const listener = interruptListener({
    first(signal) {
      askedBy = signal;
      asked.abort();
    },
    again: endBy,
  });
  const stopListening = (): void => {
    for (const signal of SIGNALS) process.off(signal, listener);
  };
  for (const signal of SIGNALS) process.on(signal, listener);
  try {
    return await work(asked.signal);
  } catch (error) {
    if (askedBy === undefined || (error as Error).name !== 'AbortError') throw error;
    endBy(askedBy);
    return await new Promise<never>(() => undefined);
  } finally {
    stopListening();
  }
}
