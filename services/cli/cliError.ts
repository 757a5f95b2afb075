/** An error of which only the message is shown, in one or more lines, without a stack. */
export class CliError extends Error {
  override readonly name = 'CliError';
}
