/** What can be deleted. */
export type DeletionKind = 'thread' | 'channel' | 'server' | 'message';

/**
 * A deletion that was asked for and has not ended. Should Redis lose its job, the job is filed again from this record.
 */
export interface DeletionRecord {
  /** `<kind>-<subject>` */
  _id: string;
  kind: DeletionKind;
  /** The id of what is to be deleted. */
  subject: string;
  requestedAt: Date;
}
