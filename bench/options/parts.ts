import { parseArgs, type ParseArgsConfig } from 'node:util';

/** A command line that cannot be followed; the message says why. */
export class OptionError extends Error {
  override name = 'OptionError';
}

/**
 * Returns what `read` returns. Where it returns undefined, help was asked for, and is printed. Where it throws
 * OptionError, the message is printed. In both cases the process then ends.
 */
export function orExit<T>(help: string, read: () => T | undefined): T {
  try {
    const options = read();
    if (options !== undefined) return options;
    console.log(help);
    process.exit(0);
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    console.error(`${error.message}\nnpm run bench -- --help shows all options`);
    process.exit(2);
  }
}

/**
 * The values of a command line's options. Throws OptionError with the parser's own message where it cannot be parsed.
 */
export function valuesOf<T extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: T,
) {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new OptionError((error as Error).message);
  }
}

/** The parts of a list that is separated by commas. */
export function listOf(text: string): string[] {
  return text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
}

/** The number that an option gives. Throws OptionError where it is out of bounds. */
export function numberOf(
  name: string,
  text: string,
  least: number,
  most: number,
  isWhole = true,
): number {
  const value = text.trim() === '' ? NaN : Number(text);
  if (value >= least && value <= most && (!isWhole || Number.isInteger(value))) return value;
  const kind = isWhole ? 'whole number' : 'number';
  throw new OptionError(`--${name} must be a ${kind} from ${least} to ${most}, not ${text}`);
}
