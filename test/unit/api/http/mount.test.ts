import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import Koa from 'koa';
import { pino } from 'pino';
import type { Answer } from '../../../../services/api/answer.js';
import { answerErrors } from '../../../../services/api/http/errors.js';
import type { AnswerCache } from '../../../../services/api/http/findKept.js';
import { listen, type Listener } from '../../../../services/api/http/listen.js';
import { mountRoutes } from '../../../../services/api/http/mount.js';
import { ResponseCache } from '../../../../services/api/http/responseCache.js';
import { route } from '../../../../services/api/http/route.js';
import { READ_LIMIT_MS } from '../../../../services/api/timeLimit.js';
import { operations } from '../../../../shared/contract/operations.js';

describe('mountRoutes', () => {
  let listener: Listener;
  /** Functions that answer the requests under way. */
  const answers: ((answer: Answer) => void)[] = [];
  before(async () => {
    const openIcon = () => new Promise<Answer>((resolve) => answers.push(resolve));
    const cache: AnswerCache = new ResponseCache({ maxBytes: 0, sizeOf: () => 0 });
    const app = new Koa();
    app.use(answerErrors(pino({ level: 'silent' })));
    app.use(
      mountRoutes([route(operations.openIcon, openIcon)], {
        cache,
        gate: () => null,
        readMs: READ_LIMIT_MS,
      }),
    );
    const handle = app.callback();
    listener = await listen((request, response) => void handle(request, response), {
      host: '127.0.0.1',
      port: 0,
      graceMs: 0,
    });
  });
  after(() => listener.drain());

  it('closes a file that opens after the time limit of its read', async () => {
    const reply = await fetch(`${listener.url}/icons/10`);
    expect(reply.status).to.equal(503);
    const bytes = Readable.from(['a picture']);
    answers.shift()!({ etag: 'x', length: 9, file: { type: 'image/png', bytes } });
    await setImmediate();
    expect(bytes.destroyed).to.equal(true);
  });

  for (const [status, init] of [
    [200, { method: 'HEAD' }],
    [304, { headers: { 'If-None-Match': '"x"' } }],
  ] as const) {
    it(`closes a file of which only the headers are sent, with ${status}`, async () => {
      const asked = fetch(`${listener.url}/icons/10`, init);
      while (answers.length === 0) await setImmediate();
      const bytes = Readable.from(['a picture']);
      answers.shift()!({ etag: 'x', length: 9, file: { type: 'image/png', bytes } });
      expect((await asked).status).to.equal(status);
      expect(bytes.destroyed).to.equal(true);
    });
  }
});
