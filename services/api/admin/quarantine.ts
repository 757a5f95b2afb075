import { AppError } from '../../../shared/contract/errors.js';
import type { QuarantineEntry, QuarantineQuery } from '../../../shared/contract/quarantine.js';
import type { Producer } from '../../../shared/jobs/producer.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { QuarantineRecord } from '../../../shared/store/quarantine.js';
import { jsonAnswer } from '../answer.js';
import type { Handler } from '../http/route.js';
import type { OpenCursors } from '../paging/cursors.js';
import { pageOf } from '../paging/page.js';
import { timeLimit } from '../timeLimit.js';
import { fileJob } from './fileJob.js';

type Store = Pick<Collections, 'quarantine'>;

const QUESTION = ['quarantine'];
const POSITION = /^([\w-]{1,64})$/;

/** GET /admin/quarantine: what is quarantined. Throws VALIDATION_ERROR for a wrong cursor. */
export function listQuarantine(
  { quarantine }: Store,
  openCursors: OpenCursors,
): Handler<unknown, QuarantineQuery> {
  return async ({ query: { limit, cursor } }) => {
    const cursors = await openCursors();
    const after = cursor === undefined ? '' : cursors.read(QUESTION, cursor, POSITION)[1]!;
    const found = await quarantine
      .find({ _id: { $gt: after } }, timeLimit())
      .sort({ _id: 1 })
      .limit(limit + 1)
      .toArray();
    const cursorOf = ({ _id }: QuarantineRecord) => cursors.write(QUESTION, _id);
    const { shown, ...next } = pageOf(found, limit, cursorOf);
    return jsonAnswer({ entries: shown.map(presentEntry), ...next });
  };
}

/** POST /admin/quarantine/:quarantineId/retry. Throws NOT_FOUND, UNAVAILABLE. */
export function retryQuarantined({
  collections,
  producer,
}: {
  collections: Store;
  producer: Producer;
}): Handler<{ quarantineId: string }, unknown> {
  return async ({ params: { quarantineId } }) => {
    const known = { _id: quarantineId };
    const limits = { limit: 1, ...timeLimit() };
    if ((await collections.quarantine.countDocuments(known, limits)) === 0) {
      throw new AppError('NOT_FOUND', 'Nothing of this id is quarantined');
    }
    return jsonAnswer(await fileJob(producer, 'retry-quarantined', { quarantineId }));
  };
}

function presentEntry({
  _id,
  kind,
  subject,
  threadId,
  reason,
  count,
  firstAt,
  lastAt,
}: QuarantineRecord): QuarantineEntry {
  const times = { firstAt: firstAt.toISOString(), lastAt: lastAt.toISOString() };
  return { id: _id, kind, subject, threadId, reason, count, ...times };
}
