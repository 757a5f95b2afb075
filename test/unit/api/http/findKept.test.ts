import { expect } from 'chai';
import { jsonAnswer, type Answer } from '../../../../services/api/answer.js';
import {
  loadOnce,
  outcomeBytes,
  type AnswerCache,
} from '../../../../services/api/http/findKept.js';
import { ResponseCache } from '../../../../services/api/http/responseCache.js';
import { AppError } from '../../../../shared/contract/errors.js';

describe('loadOnce', () => {
  it('loads for each of the others where the limit of the one who asked first refuses', async () => {
    const cache: AnswerCache = new ResponseCache({ maxBytes: 100_000, sizeOf: outcomeBytes });
    const loaded: string[] = [];
    const ask = (name: string, answer: () => Answer) =>
      loadOnce(
        {
          answer: async () => {
            loaded.push(name);
            return Promise.resolve(answer());
          },
          cached: { key: 'the same', tags: [] },
        },
        cache,
      );
    const refuse = (): never => {
      throw new AppError('RATE_LIMITED', 'Too many requests');
    };
    const outcomes = await Promise.allSettled([
      ask('first', refuse),
      ask('second', () => jsonAnswer({ found: 1 })),
      ask('third', refuse),
    ]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal([
      'rejected',
      'fulfilled',
      'rejected',
    ]);
    expect(loaded).to.have.members(['first', 'second', 'third']);
  });
});
