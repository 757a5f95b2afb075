import { expect } from 'chai';
import { createLogger } from '../../../../shared/platform/logger.js';

describe('createLogger', () => {
  it('logs an error with its message, and no argument of a refused command', () => {
    const lines: string[] = [];
    const logger = createLogger('test', 'info', { write: (line) => void lines.push(line) });
    const error = Object.assign(new Error('Redis is full'), { command: { args: ['password'] } });
    logger.warn({ error }, 'Not sent');
    logger.warn({ err: error }, 'Not sent');
    expect(lines).to.have.length(2);
    for (const line of lines) {
      expect(line).to.contain('Redis is full').and.not.contain('password');
    }
  });
});
