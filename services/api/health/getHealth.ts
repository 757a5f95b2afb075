import { jsonAnswer, type Answer } from '../answer.js';
import type { Handler } from '../http/route.js';

/** GET /healthz: always 200. It shows that this process answers, and asks no store. */
export function getHealth(): Handler<unknown, unknown> {
  const answer: Answer = { ...jsonAnswer({ status: 'ok' }), noStore: true };
  return () => Promise.resolve(answer);
}
