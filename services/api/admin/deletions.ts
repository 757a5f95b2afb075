import { AppError } from '../../../shared/contract/errors.js';
import { fileDeletion } from '../../../shared/jobs/fileDeletion.js';
import type { Producer } from '../../../shared/jobs/producer.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { DeletionKind } from '../../../shared/store/deletionRecord.js';
import { requestErasure } from '../../../shared/store/erasures.js';
import { jsonAnswer } from '../answer.js';
import type { Handler } from '../http/route.js';
import { fileJob, queuedJob } from './fileJob.js';
import { requireQueue, withQueue, type QueueDeps } from './withQueue.js';

interface Deps extends QueueDeps {
  collections: Collections;
}

/** What can be deleted, as messages name it. */
const NAMES: Readonly<Record<DeletionKind, string>> = {
  thread: 'Thread',
  channel: 'Channel',
  server: 'Server',
  message: 'Message',
};

/**
 * DELETE /admin/threads/:threadId, and likewise for channels, servers and messages: files a job that deletes it. Throws
 * NOT_FOUND where it was never recorded, and UNAVAILABLE.
 */
export function deleteBy<Kind extends DeletionKind>(
  deps: Deps,
  kind: Kind,
): Handler<Record<`${Kind}Id`, string>, unknown> {
  const { collections, producer } = deps;
  return async ({ params }) => {
    const subject = params[`${kind}Id`];
    const found = await collections[`${kind}s`].countDocuments({ _id: subject }, { limit: 1 });
    if (found === 0) throw new AppError('NOT_FOUND', `${NAMES[kind]} not found`);
    await requireQueue(deps);
    const deletion = { kind, subject };
    // `withQueue` turns every failure into UNAVAILABLE. So it is put around the queue alone, and not around MongoDB.
    const add: Producer['add'] = (name, payload) =>
      withQueue(deps, () => producer.add(name, payload));
    return jsonAnswer(queuedJob(await fileDeletion(collections, { add }, deletion)));
  };
}

/**
 * DELETE /admin/users/:userId: files a job that erases a person. The archive need not know them. Throws
 * VALIDATION_ERROR and UNAVAILABLE.
 */
export function eraseUser(deps: Deps): Handler<{ userId: string }, unknown> {
  return async ({ params: { userId } }) => {
    if (!/^\d{17,20}$/.test(userId)) {
      const message = 'userId must be an id of 17 to 20 digits';
      throw new AppError('VALIDATION_ERROR', message, { details: [{ path: 'userId', message }] });
    }
    await requireQueue(deps);
    const erasureId = await requestErasure(deps.collections, userId);
    return jsonAnswer(await fileJob(deps, 'erase-user', { erasureId }));
  };
}
