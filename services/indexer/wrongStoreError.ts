/** A store answers, but nothing may start on it, because it is set up wrong. */
export class WrongStoreError extends Error {
  override readonly name = 'WrongStoreError';
}
