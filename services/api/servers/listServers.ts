import { SERVER_LIST } from '../../../shared/store/bodyKinds.js';
import { jsonAnswer } from '../answer.js';
import { loadBody, type BodyStore } from '../bodies/findBody.js';
import type { Handler } from '../http/route.js';

/** GET /api/servers: all archived servers. The list is empty before the first import. */
export function listServers(store: BodyStore): Handler<unknown, unknown> {
  return async () => (await loadBody(store, SERVER_LIST)) ?? jsonAnswer({ servers: [] });
}
