/** Stands in place of a caller who was erased. */
export const ERASED_CALLER = '0';

/** What an operator did, and how it ended. Ids rise with time. */
export interface AuditRecord {
  _id: string;
  at: Date;
  /** The kind of credential, and the id of the key or user. For `cli`, the name of the system's user. */
  caller: { kind: string; id: string };
  /** The operation's id, such as `deleteThread`. */
  operation: string;
  /** Values of path, query and body, without secrets. Texts are cut to 200 characters. */
  params: Record<string, unknown>;
  /** `done`, `failed` or the code of the error. For `cli`, `started` until it has ended. */
  outcome: string;
  /** The HTTP status; absent for `cli`. */
  status?: number;
  jobId?: string;
}

/** What an operator did, to be recorded in the audit trail. */
export type AuditEntry = Omit<AuditRecord, '_id' | 'at'>;
