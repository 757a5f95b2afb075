import type { Filter } from 'mongodb';
import type { AuditQuery } from '../../../shared/contract/admin.js';
import type { AuditRecord } from '../../../shared/store/audit.js';
import type { Collections } from '../../../shared/store/collections.js';
import { jsonAnswer } from '../answer.js';
import type { Handler } from '../http/route.js';
import { decodeCursor, encodeCursor } from '../paging/cursor.js';
import { timeLimit } from '../timeLimit.js';

const QUESTION = ['audit'];
const POSITION = /^([0-9a-f]{24})$/;

/** GET /admin/audit: newest first. Throws VALIDATION_ERROR for a wrong cursor. */
export function listAudit({ audit }: Pick<Collections, 'audit'>): Handler<unknown, AuditQuery> {
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
