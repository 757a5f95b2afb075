/** What can be deleted. */
export type DeletionKind = 'thread' | 'channel' | 'server' | 'message';

/** A deletion that was asked for and has not come to its end: it outlives its job, should Redis forget it. */
export interface DeletionRecord {
  /** `<kind>-<subject>` */
  _id: string;
  kind: DeletionKind;
  /** The id of what is to be deleted. */
  subject: string;
  requestedAt: Date;
}
