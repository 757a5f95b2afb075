import { CliError } from '../cliError.js';

/** The longest pause (ms) that the check waits for, and the longest time that all its pauses take together. */
const LONGEST_MS = 10_000;
const LONGEST_IN_ALL_MS = 60_000;

/**
 * Makes a function that is told of each pause that the platform asks for. It throws CliError where the check would wait
 * for too long, at once or in all.
 */
export function limitWaits(): (ms: number, why: string) => void {
  let inAll = 0;
  return (ms, why) => {
    inAll += ms;
    const seconds = Math.ceil(ms / 1_000);
    if (ms > LONGEST_MS)
      throw new CliError(`${why}. Nothing should be asked for ${seconds} seconds`);
    if (inAll > LONGEST_IN_ALL_MS) throw new CliError(`${why} again and again. Check it later`);
  };
}
