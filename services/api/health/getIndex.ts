import type { ApiIndex } from '../../../shared/contract/health.js';
import { API_VERSION, openApiDocument } from '../../../shared/contract/openapi.js';
import type { Operation } from '../../../shared/contract/operation.js';
import { compressed, jsonAnswer, type Answer } from '../answer.js';
import type { Handler } from '../http/route.js';

/** GET /: the first path of each operation, as a template such as `/api/threads/{threadId}`. */
export function getIndex(operations: readonly Operation[]): Handler<unknown, unknown> {
  const index: ApiIndex = {
    name: 'Forum Archive',
    version: API_VERSION,
    links: operations.map(({ operationId, paths }) => ({
      name: operationId,
      href: (paths[0] ?? '/').replace(/:(\w+)/g, '{$1}'),
    })),
  };
  return made(() => index);
}

/**
 * GET /openapi.json: the operations as an OpenAPI 3.1 document. Making it takes a tenth of a second, so it is made only
 * when somebody asks for it.
 */
export function getOpenApi(operations: readonly Operation[]): Handler<unknown, unknown> {
  return made(() => openApiDocument(operations));
}

/** Makes a handler that always gives the same answer. It is made and compressed at the first request. */
function made(make: () => object): Handler<unknown, unknown> {
  let answer: Answer | Promise<Answer> | undefined;
  return async () => (answer ??= compressed(jsonAnswer(make())));
}
