/** Nothing can be synced until an operator has changed something, which the message tells. */
export class SyncProblem extends Error {
  override readonly name = 'SyncProblem';
}

/** A place that cannot be synced, for a reason that its operator can read. */
export class NotSynced extends Error {
  override readonly name = 'NotSynced';
}
