import { AppError } from '../../../shared/contract/errors.js';
import type { JobPayloads } from '../../../shared/jobs/jobs.js';
import type { Producer } from '../../../shared/jobs/producer.js';
import type { Collections } from '../../../shared/store/collections.js';
import { requestErasure } from '../../../shared/store/erasures.js';
import { jsonAnswer } from '../answer.js';
import type { Handler } from '../http/route.js';
import { timeLimit } from '../timeLimit.js';
import { fileJob } from './fileJob.js';
import { withQueue } from './withQueue.js';

interface Deps {
  collections: Collections;
  producer: Producer;
}

type Deletion = 'delete-thread' | 'delete-channel' | 'delete-server' | 'delete-message';

/** DELETE of what a path parameter names, as a job. Throws NOT_FOUND for what was never there, UNAVAILABLE. */
export function deleteBy<Name extends Deletion>(
  { collections, producer }: Deps,
  name: Name,
  kind: 'threads' | 'channels' | 'servers' | 'messages',
): Handler<JobPayloads[Name], unknown> {
  return async ({ params }) => {
    const [id = ''] = Object.values<string>(params);
    const found = await collections[kind].countDocuments({ _id: id }, { limit: 1, ...timeLimit() });
    if (found === 0) throw new AppError('NOT_FOUND', `There is no such ${kind.slice(0, -1)}`);
    return jsonAnswer(await fileJob(producer, name, params));
  };
}

/** DELETE /admin/users/:userId. Also for somebody who is only mentioned. Throws VALIDATION_ERROR, UNAVAILABLE. */
export function eraseUser({ collections, producer }: Deps): Handler<{ userId: string }, unknown> {
  return async ({ params: { userId } }) => {
    if (!/^\d{17,20}$/.test(userId)) {
      const message = 'userId must be an id of 17 to 20 digits';
      throw new AppError('VALIDATION_ERROR', message, { details: [{ path: 'userId', message }] });
    }
    await withQueue(() => producer.counts());
    const erasureId = await requestErasure(collections, userId);
    return jsonAnswer(await fileJob(producer, 'erase-user', { erasureId }));
  };
}
