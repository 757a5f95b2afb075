import type Joi from 'joi';
import type { Middleware } from 'koa';
import { AppError, type ErrorDetail } from '../../../shared/contract/errors.js';

/** The most bytes of a query string. */
const LONGEST_QUERY = 2_048;

/** Refuses URLs that are too long or wrongly encoded, before anything else reads them. */
export function checkUrls(): Middleware {
  return (ctx, next) => {
    checkUrl(ctx.path, ctx.querystring);
    return next();
  };
}

/** Checks a URL's parts. Throws VALIDATION_ERROR. */
export function checkUrl(path: string, queryString: string): void {
  const details: ErrorDetail[] = [];
  if (!isPercentEncoded(path)) {
    details.push({ path: 'path', message: 'path is not valid percent-encoded UTF-8' });
  }
  if (Buffer.byteLength(queryString) > LONGEST_QUERY) {
    details.push({ path: 'query', message: `query must be at most ${LONGEST_QUERY} bytes long` });
  } else if (!isPercentEncoded(queryString)) {
    details.push({ path: 'query', message: 'query is not valid percent-encoded UTF-8' });
  }
  if (details.length > 0) throw new AppError('VALIDATION_ERROR', summary(details), { details });
}

/** A reader of query strings for one schema: checked values with defaults. Throws VALIDATION_ERROR naming every problem. */
export function queryReader<Query>(schema: Joi.ObjectSchema<Query>): (text: string) => Query {
  const names = Object.keys((schema.describe() as { keys?: object }).keys ?? {});
  const read = (text: string): Query => {
    const { values, details } = parseQuery(text, names);
    const checked = schema.validate(values, {
      abortEarly: false,
      errors: { wrap: { label: false } },
    });
    details.push(...problemsOf(checked.error));
    if (details.length > 0) {
      throw new AppError('VALIDATION_ERROR', summary(details), { details });
    }
    return checked.value as Query;
  };
  // Most requests have no query: what that means is worked out once, unless it is an error.
  let defaults: Query | undefined;
  return (text) => (text === '' ? (defaults ??= read('')) : read(text));
}

/** The known parameters of a query string; unknown ones are ignored, repeated ones are problems. */
function parseQuery(
  text: string,
  names: string[],
): { values: Record<string, string>; details: ErrorDetail[] } {
  const values: Record<string, string> = {};
  const details: ErrorDetail[] = [];
  if (text === '') return { values, details };
  const given = new URLSearchParams(text);
  for (const name of names) {
    const [value, ...more] = given.getAll(name);
    if (more.length > 0) details.push({ path: name, message: `${name} must be given only once` });
    else if (value !== undefined) values[name] = value;
  }
  return { values, details };
}

/** A value checked by a schema. Throws VALIDATION_ERROR naming every problem. */
export function checkedBy<Value>(schema: Joi.ObjectSchema<Value>, value: unknown): Value {
  const checked = schema.validate(value, {
    abortEarly: false,
    convert: false,
    errors: { wrap: { label: false } },
  });
  const details = problemsOf(checked.error);
  if (details.length > 0) throw new AppError('VALIDATION_ERROR', summary(details), { details });
  return checked.value as Value;
}

function problemsOf(error: Joi.ValidationError | undefined): ErrorDetail[] {
  return (error?.details ?? []).map(({ path, message }) => ({ path: path.join('.'), message }));
}

function summary(details: ErrorDetail[]): string {
  return details.map(({ message }) => message).join('; ');
}

function isPercentEncoded(text: string): boolean {
  if (!text.includes('%')) return true;
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
