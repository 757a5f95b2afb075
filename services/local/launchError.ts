/**
 * A problem that the person at the terminal can solve. The message says what is wrong and what to do. It is shown
 * without a stack.
 */
export class LaunchError extends Error {
  override readonly name = 'LaunchError';
}
