import type { ApiIndex } from '../../../shared/contract/health.js';
import { API_VERSION, openApiDocument } from '../../../shared/contract/openapi.js';
import type { Operation } from '../../../shared/contract/operation.js';
import { compressed, jsonAnswer, type Answer } from '../answer.js';
import type { Handler } from '../http/route.js';

/** GET /: the paths of all operations. */
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
 * GET /openapi.json: the operations as an OpenAPI 3.1 document. It is made when it is first asked for, as it takes a
 * tenth of a second.
 */
export function getOpenApi(operations: readonly Operation[]): Handler<unknown, unknown> {
  return made(() => openApiDocument(operations));
}

/** Makes a handler that always answers with the same bytes. They are made and compressed once. */
function made(make: () => object): Handler<unknown, unknown> {
  let answer: Answer | Promise<Answer> | undefined;
  return async () => (answer ??= compressed(jsonAnswer(make())));
}
