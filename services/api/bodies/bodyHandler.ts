import type { BodyKind } from '../../../shared/store/bodyKinds.js';
import type { Handler } from '../http/route.js';
import { findBody, type BodyStore } from './findBody.js';

/** Makes a handler that answers with a stored body of the thing that a path parameter names. Throws NOT_FOUND. */
export function bodyHandler<Name extends string>(
  store: BodyStore,
  kind: BodyKind,
  parameter: Name,
): Handler<Record<Name, string>, unknown> {
  return ({ params }) => findBody(store, kind, params[parameter]);
}
