import { ObjectId, type Filter } from 'mongodb';
import type { AuditQuery } from '../../../shared/contract/admin.js';
import { ERASED_CALLER, type AuditRecord } from '../../../shared/store/audit.js';
import type { Collections } from '../../../shared/store/collections.js';
import { erasedPeople, erasureIdOf } from '../../../shared/store/erasures.js';
import { jsonAnswer } from '../answer.js';
import type { Handler } from '../http/route.js';
import { decodeCursor, encodeCursor } from '../paging/cursor.js';
import { timeLimit } from '../timeLimit.js';

type Store = Pick<Collections, 'audit' | 'erasures' | 'erasureState'>;

/** What an operator did, as the audit trail keeps it. */
export type Deed = Omit<AuditRecord, '_id' | 'at'>;

/** Keeps what was done. Whom an erasure is about is kept as its keyed hash alone; an erased caller is nobody. */
export async function recordDeed(store: Store, deed: Deed): Promise<void> {
  const params =
    deed.operation === 'eraseUser'
      ? { erasureId: await erasureIdOf(store, String(deed.params['userId'])) }
      : deed.params;
  const { kind, id } = deed.caller;
  const caller = { kind, id: (await erasedPeople(store)).has(id) ? ERASED_CALLER : id };
  await store.audit.insertOne({
    ...{ _id: new ObjectId().toHexString(), at: new Date() },
    ...{ ...deed, params, caller },
  });
}

const QUESTION = ['audit'];
const POSITION = /^([0-9a-f]{24})$/;

/** GET /admin/audit: newest first. Throws VALIDATION_ERROR for a wrong cursor. */
export function listAudit({ audit }: Pick<Store, 'audit'>): Handler<unknown, AuditQuery> {
  return async ({ query: { limit, cursor } }) => {
    const after = cursor === undefined ? undefined : decodeCursor(QUESTION, cursor, POSITION)[1];
    const older: Filter<AuditRecord> = after === undefined ? {} : { _id: { $lt: after } };
    const found = await audit
      .find(older, timeLimit())
      .sort({ _id: -1 })
      .limit(limit + 1)
      .toArray();
    const entries = found.slice(0, limit);
    const hasMore = found.length > limit;
    const last = entries.at(-1);
    return jsonAnswer({
      entries: entries.map(({ _id, at, ...entry }) => ({
        id: _id,
        at: at.toISOString(),
        ...entry,
      })),
      nextCursor: hasMore && last ? encodeCursor(QUESTION, last._id) : null,
      hasMore,
    });
  };
}
