import type { ApiIndex } from '../../../shared/contract/health.js';
import { API_VERSION, openApiDocument } from '../../../shared/contract/openapi.js';
import type { Operation } from '../../../shared/contract/operation.js';
import { jsonAnswer } from '../answer.js';
import type { Handler } from '../http/route.js';

/** GET /: where each operation is. */
export function getIndex(operations: readonly Operation[]): Handler<unknown, unknown> {
  const index: ApiIndex = {
    name: 'Forum Archive',
    version: API_VERSION,
    links: operations.map(({ operationId, paths }) => ({
      name: operationId,
      href: (paths[0] ?? '/').replace(/:(\w+)/g, '{$1}'),
    })),
  };
  const answer = jsonAnswer(index);
  return () => Promise.resolve(answer);
}

/** GET /openapi.json: the operations as an OpenAPI 3.1 document. */
export function getOpenApi(operations: readonly Operation[]): Handler<unknown, unknown> {
  const answer = jsonAnswer(openApiDocument(operations));
  return () => Promise.resolve(answer);
}
