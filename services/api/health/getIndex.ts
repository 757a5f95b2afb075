import type { ApiIndex } from '../../../shared/contract/health.js';
import { API_VERSION, openApiDocument } from '../../../shared/contract/openapi.js';
import type { Operation } from '../../../shared/contract/operation.js';
import { compressed, jsonAnswer } from '../answer.js';
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
  return answerOf(index);
}

/** GET /openapi.json: the operations as an OpenAPI 3.1 document. */
export function getOpenApi(operations: readonly Operation[]): Handler<unknown, unknown> {
  return answerOf(openApiDocument(operations));
}

/** Makes a handler that always answers with the same bytes. They are compressed once. */
function answerOf(value: object): Handler<unknown, unknown> {
  const answer = compressed(jsonAnswer(value));
  return () => Promise.resolve(answer);
}
