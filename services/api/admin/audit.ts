import type { Filter } from 'mongodb';
import type { PageQuery } from '../../../shared/contract/fields.js';
import type { AuditRecord } from '../../../shared/store/audit.js';
import type { Collections } from '../../../shared/store/collections.js';
import { jsonAnswer } from '../answer.js';
import type { Handler } from '../http/route.js';
import type { OpenCursors } from '../paging/cursors.js';
import { pageOf } from '../paging/page.js';

const QUESTION = ['audit'];
const POSITION = /^([0-9a-f]{24})$/;

/** GET /admin/audit: a page of the audit trail, newest first. Throws VALIDATION_ERROR for a wrong cursor. */
export function listAudit(
  { audit }: Pick<Collections, 'audit'>,
  openCursors: OpenCursors,
): Handler<unknown, PageQuery> {
  return async ({ query: { limit, cursor } }) => {
    const cursors = await openCursors();
    const after = cursor === undefined ? undefined : cursors.read(QUESTION, cursor, POSITION)[1];
    const older: Filter<AuditRecord> = after === undefined ? {} : { _id: { $lt: after } };
    const found = await audit
      .find(older)
      .sort({ _id: -1 })
      .limit(limit + 1)
      .toArray();
    const cursorOf = ({ _id }: AuditRecord) => cursors.write(QUESTION, _id);
    const { shown, ...next } = pageOf(found, limit, cursorOf);
    const entries = shown.map(({ _id: id, at, ...entry }) => ({
      id,
      at: at.toISOString(),
      ...entry,
    }));
    return jsonAnswer({ entries, ...next });
  };
}
