import type { Readable } from 'node:stream';
import Joi from 'joi';
import type { ErrorCode } from './errors.js';

/**
 * Who may call: `public` anyone; `me` any user's bearer token; `read`, `write` and `admin` an API key or service token
 * of at least that level.
 */
export type Access = 'public' | 'me' | 'read' | 'write' | 'admin';

/**
 * The bytes of a body that is not parsed. Reading them throws PAYLOAD_TOO_LARGE once they exceed the operation's limit.
 */
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

/**
 * One endpoint, as its callers see it. Routing, the checks of query and body, and the documentation are made from this.
 */
export interface Operation<Params = unknown, Query = unknown, Body = unknown> {
  operationId: string;
  method: 'get' | 'post' | 'delete';
  /** Every path that answers, with `:name` parameters; the first is the one to link to. */
  paths: readonly string[];
  access: Access;
  /**
   * Which limit of the caller's address counts the request; the one for reads when absent. An operation with `code` is
   * refused to an address that has sent too many wrong credentials. `nothing` is not counted at all: such an operation
   * must cost little, and answer the same to everybody.
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
  /** Errors in addition to those that every operation may answer. */
  errors: readonly ErrorCode[];
  /** Response headers that only this operation has, as name and description. */
  headers?: Readonly<Record<string, string>>;
}

/** Returns an operation with the types of its parameters and body. Throws when an /admin path is not protected. */
export function operation<Params, Query, Body = undefined>(
  declared: Operation<Params, Query, Body>,
): Operation<Params, Query, Body> {
  if (declared.paths.some(isAdminPath) && !['read', 'write', 'admin'].includes(declared.access)) {
    throw new TypeError(`${declared.operationId} is under /admin and must not be open to everyone`);
  }
  return declared;
}

/** Whether a path is one of administration. No public operation may have one. */
export function isAdminPath(path: string): boolean {
  return /^\/(?:api\/)?admin(?:\/|$)/.test(path);
}

/** The schema of no parameters, or of an empty query. */
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
