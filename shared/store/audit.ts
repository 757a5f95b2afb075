/** Stands for a caller who was erased. */
export const ERASED_CALLER = '0';

/** Who did what as an operator, and what came of it. `_id` rises with time. */
export interface AuditRecord {
  _id: string;
  at: Date;
  /** The kind of credential, and the id of the key or user; of `cli`, the name of the system's user. */
  caller: { kind: string; id: string };
  /** The operation's id, such as `deleteThread`. */
  operation: string;
  /** Path, query and body values that are no secrets; texts are cut to 200 characters. */
  params: Record<string, unknown>;
  /** `done`, `failed` or the code of the error; of `cli`, `started` until it has ended. */
  outcome: string;
  /** HTTP status; `cli` has none. */
  status?: number;
  jobId?: string;
}

/** What an operator did, as it is given to the audit trail. */
export type AuditEntry = Omit<AuditRecord, '_id' | 'at'>;
