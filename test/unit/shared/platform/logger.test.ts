import { expect } from 'chai';
import { errors } from '../../../../shared/drivers/elasticsearch.js';
import { createLogger } from '../../../../shared/platform/logger.js';

/** The line that a logger writes of these fields. */
function lineOf(fields: object): Record<string, unknown> {
  const lines: string[] = [];
  const logger = createLogger('test', 'info', { write: (line) => void lines.push(line) });
  logger.warn(fields, 'Not sent');
  expect(lines).to.have.length(1);
  return JSON.parse(lines[0]!) as Record<string, unknown>;
}

describe('createLogger', () => {
  it('logs an error with its message, and no argument of a refused command', () => {
    const error = Object.assign(new Error('Redis is full'), { command: { args: ['password'] } });
    for (const line of [lineOf({ error }), lineOf({ err: error })]) {
      expect(JSON.stringify(line)).to.contain('Redis is full').and.not.contain('password');
    }
  });

  it('logs what a store said to a request, and nothing of the request or its connection', () => {
    const err = new errors.ResponseError({
      ...{ statusCode: 429, warnings: null, headers: {} },
      body: { error: { type: 'es_rejected_execution_exception', reason: 'full' } },
      meta: { request: { params: { body: 'what a reader looks for' } } } as never,
    });
    const line = lineOf({ err });
    expect(line['err']).to.include({ type: 'ResponseError', statusCode: 429 });
    expect(JSON.stringify(line)).to.contain('es_rejected').and.not.contain('looks for');
  });

  it('logs what an error is made of, and what caused it', () => {
    const refused = Object.assign(new Error('refused'), {
      code: 'ECONNREFUSED',
      options: 'secret',
    });
    const made = lineOf({ err: new AggregateError([refused], 'all failed') });
    expect(made['err']).to.have.nested.include({
      ...{ message: 'all failed', 'errors[0].message': 'refused' },
      'errors[0].code': 'ECONNREFUSED',
    });
    const caused = lineOf({ err: new Error('not stored', { cause: refused }) });
    expect(caused['err']).to.have.property('message', 'not stored: refused');
    expect(JSON.stringify([made, caused])).to.not.contain('secret');
  });

  it('logs what was thrown that is no error', () => {
    expect(lineOf({ err: 'gone' })).to.have.property('err', 'gone');
  });
});
