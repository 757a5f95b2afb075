import type Joi from 'joi';
import type { ErrorCode } from './errors.js';

/** One endpoint as the world sees it: routing, validation and documentation are made from this. */
export interface Operation<Params = unknown, Query = unknown> {
  operationId: string;
  method: 'get';
  /** Every path that answers, with `:name` parameters; the first is the one to link to. */
  paths: readonly string[];
  summary: string;
  params: Joi.ObjectSchema<Params>;
  query: Joi.ObjectSchema<Query>;
  /** The JSON body of status 200. */
  response: Joi.Schema;
  errors: readonly ErrorCode[];
  /** Response headers of its own: name and description. */
  headers?: Readonly<Record<string, string>>;
}
