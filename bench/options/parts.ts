import { parseArgs, type ParseArgsConfig } from 'node:util';

/** A command line that cannot be followed; the message says why. */
export class OptionError extends Error {
  override name = 'OptionError';
}

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<T extends Options> = ReturnType<typeof parseArgs<{ options: T }>>['values'];

/** The readers of a benchmark's options. */
interface Readers<T> {
  /** Reads the options; undefined where help is asked for. Throws OptionError. */
  readOptions: (args: string[]) => T | undefined;
  /** Reads the options. With --help, or where they are wrong, it prints that and ends the process. */
  optionsOrExit: (args: string[]) => T;
}

/**
 * Makes the readers of some options and --help. `check` makes the result from their values, or throws OptionError. With
 * `takesOthers`, it also gets the arguments that are no options. Without, there must be none.
 */
export function optionReaders<const T extends Options, Result>(
  help: string,
  options: T,
  check: (values: Values<T>, others: string[]) => Result,
  { takesOthers = false } = {},
): Readers<Result> {
  const readOptions = (args: string[]): Result | undefined => {
    const { values, positionals } = parse(args, options, takesOthers);
    return values.help ? undefined : check(values, positionals);
  };
  return {
    readOptions,
    optionsOrExit(args) {
      try {
        const read = readOptions(args);
        if (read !== undefined) return read;
        console.log(help);
        process.exit(0);
      } catch (error) {
        if (!(error instanceof OptionError)) throw error;
        console.error(`${error.message}\n--help shows all options`);
        process.exit(2);
      }
    },
  };
}

/** The values of the options and --help, and the other arguments. Throws OptionError with the parser's own message. */
function parse<T extends Options>(
  args: string[],
  options: T,
  allowPositionals: boolean,
): { values: Values<T> & { help?: boolean }; positionals: string[] } {
  try {
    const all = { ...options, help: { type: 'boolean' } } as const;
    return parseArgs({ args, options: all, allowPositionals });
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
