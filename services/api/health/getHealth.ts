import { jsonAnswer } from '../answer.js';
import type { Handler } from '../http/route.js';

/** GET /healthz: that this process answers at all. */
export function getHealth(): Handler<unknown, unknown> {
  return () => Promise.resolve({ ...jsonAnswer({ status: 'ok' }), noStore: true });
}
