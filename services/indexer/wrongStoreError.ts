/** A store that answers, and that nothing may start on as it is set up. */
export class WrongStoreError extends Error {
  override readonly name = 'WrongStoreError';
}
