import { AppError } from '../../../shared/contract/errors.js';
import type { PageQuery } from '../../../shared/contract/fields.js';
import type { QuarantineEntry } from '../../../shared/contract/quarantine.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { Failure } from '../../../shared/store/work.js';
import { jsonAnswer } from '../answer.js';
import type { Handler } from '../http/route.js';
import type { OpenCursors } from '../paging/cursors.js';
import { pageOf } from '../paging/page.js';
import { fileJob } from './fileJob.js';
import type { QueueDeps } from './withQueue.js';

type Store = Pick<Collections, 'work'>;

const QUESTION = ['quarantine'];
const POSITION = /^([\w-]{1,64})$/;

/** GET /admin/quarantine: a page of the quarantine, by id. Throws VALIDATION_ERROR for a wrong cursor. */
export function listQuarantine(
  { work }: Store,
  openCursors: OpenCursors,
): Handler<unknown, PageQuery> {
  return async ({ query: { limit, cursor } }) => {
    const cursors = await openCursors();
    const after = cursor === undefined ? '' : cursors.read(QUESTION, cursor, POSITION)[1]!;
    const found = await work
      .find({ 'failure.id': { $gt: after } }, { projection: { failure: 1 } })
      .sort({ 'failure.id': 1 })
      .limit(limit + 1)
      .toArray();
    const failures = found.flatMap(({ failure }) => failure ?? []);
    const cursorOf = ({ id }: Failure) => cursors.write(QUESTION, id);
    const { shown, ...next } = pageOf(failures, limit, cursorOf);
    return jsonAnswer({ entries: shown.map(presentEntry), ...next });
  };
}

/** POST /admin/quarantine/:quarantineId/retry: files a job that tries it again. Throws NOT_FOUND and UNAVAILABLE. */
export function retryQuarantined(
  deps: QueueDeps & { collections: Store },
): Handler<{ quarantineId: string }, unknown> {
  return async ({ params: { quarantineId } }) => {
    const known = { 'failure.id': quarantineId };
    const limits = { limit: 1 };
    if ((await deps.collections.work.countDocuments(known, limits)) === 0) {
      throw new AppError('NOT_FOUND', 'Nothing with this id is quarantined');
    }
    return jsonAnswer(await fileJob(deps, 'retry-quarantined', { quarantineId }));
  };
}

function presentEntry({
  revision: _revision,
  firstAt,
  lastAt,
  ...entry
}: Failure): QuarantineEntry {
  return { ...entry, firstAt: firstAt.toISOString(), lastAt: lastAt.toISOString() };
}
