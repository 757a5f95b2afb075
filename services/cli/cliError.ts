/** An error that is shown by its message alone, in one or more lines, without a stack. */
export class CliError extends Error {
  override readonly name = 'CliError';
}
