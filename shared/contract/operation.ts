import type { Readable } from 'node:stream';
import Joi from 'joi';
import type { ErrorCode } from './errors.js';

/**
 * Who may call: `public` anyone; `me` any user's bearer token; `read`, `write` and `admin` an API key or service token
 * of at least that level.
 */
export type Access = 'public' | 'me' | 'read' | 'write' | 'admin';

/** A request body that is not parsed: its bytes as they come, cut with PAYLOAD_TOO_LARGE beyond the limit. */
export interface RawBody {
  stream: Readable;
  /** The media type alone, in lower case, such as `application/json`. */
  contentType: string;
  /** The header as sent, with the boundary of a form. */
  headers: { 'content-type': string };
}

/** What body an operation takes: `schema` for checked JSON; without one the handler gets a RawBody. */
export interface BodyRule<Body> {
  contentTypes: readonly string[];
  maxBytes: number;
  schema?: Joi.ObjectSchema<Body>;
  /** Whether an absent body stands for `{}`. */
  optional?: boolean;
}

/** One endpoint as the world sees it: routing, checks of query and body, and documentation are made from this. */
export interface Operation<Params = unknown, Query = unknown, Body = unknown> {
  operationId: string;
  method: 'get' | 'post' | 'delete';
  /** Every path that answers, with `:name` parameters; the first is the one to link to. */
  paths: readonly string[];
  access: Access;
  /**
   * Which limit of an address counts this; reads when absent. A `code` is not tried for an address with too many wrong
   * credentials. `nothing` is not counted at all: it must cost little, and be the same for everybody.
   */
  limitedAs?: 'search' | 'code' | 'nothing';
  summary: string;
  /** Describes the parameters of the paths. Requests are not checked by it. */
  params: Joi.ObjectSchema<Params>;
  query: Joi.ObjectSchema<Query>;
  /** The body it takes; none when absent. */
  body?: BodyRule<Body>;
  /** The status of success; 200 when absent. */
  status?: 200 | 201 | 202 | 302;
  /** The JSON body of success. */
  response: Joi.Schema;
  /** Whether it may answer with 200 and a file of any type, too. */
  file?: true;
  /** Beside those that every operation has. */
  errors: readonly ErrorCode[];
  /** Response headers of its own: name and description. */
  headers?: Readonly<Record<string, string>>;
}

/** Keeps the types of an operation's parameters and body. Throws when an /admin path is not protected. */
export function operation<Params, Query, Body = undefined>(
  declared: Operation<Params, Query, Body>,
): Operation<Params, Query, Body> {
  if (declared.paths.some(isAdminPath) && !['read', 'write', 'admin'].includes(declared.access)) {
    throw new TypeError(`${declared.operationId} is under /admin and must not be open to everyone`);
  }
  return declared;
}

/** Whether a path is one of administration, which nothing public may be. */
export function isAdminPath(path: string): boolean {
  return /^\/(?:api\/)?admin(?:\/|$)/.test(path);
}

/** Parameters or a query of which there are none. */
export const nothing = Joi.object<Record<string, never>>({});
/** Errors of every operation that is protected. */
export const PROTECTED_ERRORS: readonly ErrorCode[] = [
  'UNAUTHORIZED',
  'TOKEN_EXPIRED',
  'FORBIDDEN',
  'UNAVAILABLE',
];
/** Errors of every operation that takes a body. */
export const BODY_ERRORS: readonly ErrorCode[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];

/** A JSON body of at most 16 kB that `schema` checks. `optional`: an absent body stands for `{}`. */
export function jsonBody<Body>(
  schema: Joi.ObjectSchema<Body>,
  { optional = false } = {},
): BodyRule<Body> {
  return { contentTypes: ['application/json'], maxBytes: 16_384, schema, optional };
}

/** A body that the handler reads itself, of one of the media types. */
export function rawBody(contentTypes: readonly string[], maxBytes: number): BodyRule<RawBody> {
  return { contentTypes, maxBytes };
}
