import { expect } from 'chai';
import {
  MongoExpiredSessionError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoNetworkTimeoutError,
  MongoServerClosedError,
  MongoServerError,
} from 'mongodb';
import { toAppError } from '../../../../services/api/http/errors.js';
import { errors } from '../../../../shared/drivers/elasticsearch.js';

describe('toAppError', () => {
  const away = [
    new MongoNetworkError('connection 7 to 10.0.0.3:27017 closed'),
    new MongoNetworkTimeoutError('timed out'),
    new MongoServerError({ message: 'operation exceeded time limit', code: 50 }),
    new MongoServerError({ message: 'not primary', code: 10107 }),
    new MongoServerError({ message: 'cursor id 5 not found', code: 43 }),
    new MongoExpiredSessionError('Cannot use a session that has ended'),
    new MongoServerClosedError('Server is closed'),
    new errors.ConnectionError('connect ECONNREFUSED 10.0.0.4:9200'),
    new errors.TimeoutError('Request timed out'),
    new DOMException('The operation was aborted due to timeout', 'TimeoutError'),
    Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' }),
  ];
  for (const error of away) {
    it(`answers ${error.constructor.name} (${error.message.slice(0, 20)}) with 503`, () => {
      const shown = toAppError(error);
      expect(shown).to.include({ code: 'UNAVAILABLE', status: 503, cause: error });
      expect(shown.headers['Retry-After']).to.match(/^\d+$/);
      expect(shown.message).not.to.match(/10\.0\.0|timed|primary/);
    });
  }

  const broken: unknown[] = [
    new MongoInvalidArgumentError('No such option: connection timed out'),
    new MongoServerError({ message: 'bad hint: ECONNREFUSED', code: 2 }),
    new Error('ECONNREFUSED 10.0.0.3'),
    new DOMException('Timeout', 'AbortError'),
    'text',
    undefined,
  ];
  for (const error of broken) {
    it(`answers ${String(error)} with 500, without details`, () => {
      expect(toAppError(error)).to.include({
        code: 'INTERNAL_ERROR',
        message: 'Something went wrong',
      });
    });
  }
});
