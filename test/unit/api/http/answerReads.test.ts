import { expect } from 'chai';
import { pino } from 'pino';
import { answerReads } from '../../../../services/api/http/answerReads.js';
import { corsPolicy } from '../../../../services/api/http/cors.js';
import type { AnswerCache } from '../../../../services/api/http/findKept.js';
import { listen } from '../../../../services/api/http/listen.js';
import { ResponseCache } from '../../../../services/api/http/responseCache.js';
import { route } from '../../../../services/api/http/route.js';
import { READ_LIMIT_MS } from '../../../../services/api/timeLimit.js';
import { operations } from '../../../../shared/contract/operations.js';

describe('answerReads', () => {
  it('answers 503 for a read that does not end within its time limit', async () => {
    const never = () => new Promise<never>(() => undefined);
    const cache: AnswerCache = new ResponseCache({ maxBytes: 0, sizeOf: () => 0 });
    const answer = answerReads({
      routes: [route(operations.listServers, never, () => ({ tags: [] }))],
      cache,
      cors: corsPolicy('*'),
      limits: undefined,
      addressOf: () => '',
      observe: () => undefined,
      logger: pino({ level: 'silent' }),
      readMs: READ_LIMIT_MS,
    });
    const listener = await listen((request, response) => void answer(request, response), {
      host: '127.0.0.1',
      port: 0,
      graceMs: 0,
    });
    const reply = await fetch(`${listener.url}/api/servers`);
    expect([reply.status, reply.headers.get('retry-after')]).to.deep.equal([503, '2']);
    await listener.drain();
  });
});
