import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { errors } from '../../../../shared/drivers/elasticsearch.js';
import { createLogger } from '../../../../shared/platform/logger.js';
import { refusedInsert } from '../../../support/refusedInsert.js';

/** The line that a logger writes for these fields. */
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

  it("logs a store's answer to a request, and nothing of the request or its connection", () => {
    const err = new errors.ResponseError({
      statusCode: 429,
      warnings: null,
      headers: {},
      body: { error: { type: 'es_rejected_execution_exception', reason: 'full' } },
      meta: { request: { params: { body: 'what a reader looks for' } } } as never,
    });
    const line = lineOf({ err });
    expect(line['err']).to.include({ type: 'ResponseError', statusCode: 429 });
    expect(JSON.stringify(line)).to.contain('es_rejected').and.not.contain('looks for');
  });

  it('logs only the name of a command that MongoDB refused, and where it came from', () => {
    const err = refusedInsert();
    const line = lineOf({ err });
    expect(line['err']).to.deep.include({
      type: 'MongoServerError',
      code: 13,
      codeName: 'Unauthorized',
      message: 'not authorized on archive to execute command insert',
    });
    expect(line['err'])
      .to.have.property('stack')
      .that.contains('execute command insert\n')
      .and.contains('at refusedInsert');
    const wrapped = new Error('not stored', { cause: err });
    const all = [line, lineOf({ err: wrapped }), lineOf({ err: new AggregateError([wrapped]) })];
    expect(JSON.stringify(all)).to.not.match(/2fc5|planted/);
    expect(all[1]!['err']).to.include({
      message: 'not stored: not authorized on archive to execute command insert',
    });
  });

  it('logs the parts of an aggregate error, and the cause of an error', () => {
    const refused = Object.assign(new Error('refused'), {
      code: 'ECONNREFUSED',
      options: 'secret',
    });
    const made = lineOf({ err: new AggregateError([refused], 'all failed') });
    expect(made['err']).to.have.nested.include({
      message: 'all failed',
      'errors[0].message': 'refused',
      'errors[0].code': 'ECONNREFUSED',
    });
    const caused = lineOf({ err: new Error('not stored', { cause: refused }) });
    expect(caused['err']).to.have.property('message', 'not stored: refused');
    expect(JSON.stringify([made, caused])).to.not.contain('secret');
  });

  it('logs thrown values that are no errors', () => {
    expect(lineOf({ err: 'gone' })).to.have.property('err', 'gone');
  });
});

describe('gatheredOutput', () => {
  const loggerUrl = new URL('../../../../shared/platform/logger.js', import.meta.url);
  /** Starts a process that logs numbered lines, and then runs `after`. */
  const logLines = (count: number, after: string, stdout: number | 'pipe') => {
    const script = `
      import { createLogger, gatheredOutput } from ${JSON.stringify(loggerUrl)};
      const logger = createLogger('test', 'info', gatheredOutput());
      for (let n = 0; n < ${count}; n += 1) logger.info({ n, text: 'é'.repeat(200) }, 'Line');
      ${after}`;
    const args = ['--input-type=module', '--eval', script];
    return spawn(process.execPath, args, { stdio: ['ignore', stdout, 'inherit'] });
  };
  const numbersOf = (text: string): number[] =>
    text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { n: number }).n);
  const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

  it('writes all lines of a process that exits at once, to a pipe and to a file', async () => {
    const child = logLines(1_000, 'process.exit(0);', 'pipe');
    let text = '';
    child.stdout!.setEncoding('utf8').on('data', (part: string) => (text += part));
    await once(child, 'close');
    expect(numbersOf(text)).to.deep.equal(upTo(1_000));

    const folder = mkdtempSync(join(tmpdir(), 'forum-archive-log-'));
    const file = join(folder, 'log');
    const descriptor = openSync(file, 'w');
    await once(logLines(1_000, 'process.exit(0);', descriptor), 'close');
    closeSync(descriptor);
    expect(numbersOf(readFileSync(file, 'utf8'))).to.deep.equal(upTo(1_000));
    rmSync(folder, { recursive: true });
  });

  it('writes a line soon, while the process goes on', async () => {
    const child = logLines(1, 'setInterval(() => undefined, 1_000);', 'pipe');
    const [part] = (await once(child.stdout!, 'data')) as [Buffer];
    expect(numbersOf(part.toString())).to.deep.equal([0]);
    child.kill();
    await once(child, 'close');
  });
});
