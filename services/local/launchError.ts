/** A problem that the person at the terminal can solve; its message says what and how, and is shown without a stack. */
export class LaunchError extends Error {
  override readonly name = 'LaunchError';
}
