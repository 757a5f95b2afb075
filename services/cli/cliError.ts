/** An error whose message is all that its reader needs: one line, or a few. */
export class CliError extends Error {
  override readonly name = 'CliError';
}
