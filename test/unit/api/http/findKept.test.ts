import { expect } from 'chai';
import { jsonAnswer, type Answer } from '../../../../services/api/answer.js';
import {
  loadOnce,
  outcomeBytes,
  type AnswerCache,
} from '../../../../services/api/http/findKept.js';
import { ResponseCache } from '../../../../services/api/http/responseCache.js';
import { AppError, type ErrorCode } from '../../../../shared/contract/errors.js';

describe('loadOnce', () => {
  /** Asks the same at the same time, in this order. Tells which requests were answered, and which loaded an answer. */
  async function askAtOnce(answers: Record<string, () => Answer>) {
    const cache: AnswerCache = new ResponseCache({ maxBytes: 100_000, sizeOf: outcomeBytes });
    const loaded: string[] = [];
    const ask = ([name, answer]: [string, () => Answer]) =>
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
    const outcomes = await Promise.allSettled(Object.entries(answers).map(ask));
    return { loaded, statuses: outcomes.map(({ status }) => status) };
  }
  const found = () => jsonAnswer({ found: 1 });
  const refuseBy = (code: ErrorCode) => (): never => {
    throw new AppError(code, 'Not now');
  };

  it('loads for each of the others where the limit of the one who asked first refuses', async () => {
    const refuse = refuseBy('RATE_LIMITED');
    const { loaded, statuses } = await askAtOnce({ first: refuse, second: found, third: refuse });
    expect(statuses).to.deep.equal(['rejected', 'fulfilled', 'rejected']);
    expect(loaded).to.have.members(['first', 'second', 'third']);
  });

  it('does not ask again for the others where a store is away', async () => {
    const away = refuseBy('UNAVAILABLE');
    const { loaded, statuses } = await askAtOnce({ first: away, second: found });
    expect(statuses).to.deep.equal(['rejected', 'rejected']);
    expect(loaded).to.deep.equal(['first']);
  });
});
