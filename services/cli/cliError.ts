/** An error that is shown by its message alone, in one line or a few, without a stack. */
export class CliError extends Error {
  override readonly name = 'CliError';
}
