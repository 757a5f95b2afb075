import type Joi from 'joi';
import type { Context, Middleware } from 'koa';
import { AppError, type ErrorDetail } from '../../../shared/contract/errors.js';
import { keysOf } from '../../../shared/platform/keysOf.js';

/**
 * The most bytes of a query string. The longest `q` has 512 characters, each of which takes up to 12 bytes when encoded.
 */
const LONGEST_QUERY = 8_192;
/** Joi reports every problem, not only the first one, and names the parameters without quotes. */
const REPORTED = { abortEarly: false, errors: { wrap: { label: false } } } as const;

/** Refuses a URL that cannot be parsed, has a wrongly encoded path, or has too long a query string. */
export function checkUrls(): Middleware {
  return (ctx, next) => {
    checkUrl(pathOf(ctx), ctx.querystring);
    return next();
  };
}

/** The path of a request's URL. Throws VALIDATION_ERROR where the URL cannot be parsed, or has no path. */
function pathOf(ctx: Context): string {
  try {
    // Koa throws for a URL such as `http://` with an invalid host, and gives null where the URL has no path.
    const path = ctx.path as string | null;
    if (path !== null) return path;
  } catch {
    // The error below takes the place of this one.
  }
  throw new AppError('VALIDATION_ERROR', 'The URL could not be read');
}

/** Checks the path and the query string of a URL. Throws VALIDATION_ERROR that names every problem. */
export function checkUrl(path: string, queryString: string): void {
  const details: ErrorDetail[] = [];
  if (decoded(path) === undefined) {
    details.push({ path: 'path', message: 'path is not valid percent-encoded UTF-8' });
  }
  if (queryString.length > LONGEST_QUERY) {
    details.push({ path: 'query', message: `query must be at most ${LONGEST_QUERY} bytes long` });
  }
  refuse(details);
}

/**
 * Makes a reader of query strings. It returns the values as checked by the schema, with defaults for absent ones. It
 * throws VALIDATION_ERROR that names every problem.
 */
export function queryReader<Query>(schema: Joi.ObjectSchema<Query>): (text: string) => Query {
  const names = new Set(keysOf(schema));
  const read = (text: string): Query => {
    const { values, details } = parseQuery(text, names);
    const checked = schema.validate(values, REPORTED);
    const unread = new Set(details.map(({ path }) => path));
    details.push(...problemsOf(checked.error).filter(({ path }) => !unread.has(path)));
    refuse(details);
    return checked.value as Query;
  };
  // Most requests have no query. The result for them is computed once, unless it is an error.
  let defaults: Query | undefined;
  return (text) => (text === '' ? (defaults ??= read('')) : read(text));
}

/** The known parameters of a query string. Unknown ones are ignored. Repeated and wrongly encoded ones are problems. */
function parseQuery(
  text: string,
  names: ReadonlySet<string>,
): { values: Record<string, string>; details: ErrorDetail[] } {
  const values = new Map<string, string>();
  const problems = new Map<string, string>();
  for (const pair of text.split('&')) {
    const [, given = '', encoded = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
    const name = asciiOf(given);
    if (!names.has(name)) continue;
    if (values.has(name) || problems.has(name)) {
      problems.set(name, 'must be given only once');
      continue;
    }
    const value = decoded(encoded);
    if (value === undefined) problems.set(name, 'is not valid percent-encoded UTF-8');
    else values.set(name, value);
  }
  for (const name of problems.keys()) values.delete(name);
  const details = [...problems].map(([path, told]) => ({ path, message: `${path} ${told}` }));
  return { values: Object.fromEntries(values), details };
}

/** Checks parsed JSON by a schema, and returns it with defaults. Throws VALIDATION_ERROR that names every problem. */
export function checkedBy<Value>(schema: Joi.ObjectSchema<Value>, value: unknown): Value {
  const checked = schema.validate(value, { ...REPORTED, convert: false });
  refuse(problemsOf(checked.error));
  return checked.value as Value;
}

/** The first problem of each value. Joi may report several: an empty text, for example, is also not an allowed word. */
function problemsOf(error: Joi.ValidationError | undefined): ErrorDetail[] {
  const details = new Map<string, ErrorDetail>();
  for (const { path, message } of error?.details ?? []) {
    const name = path.join('.') || 'body';
    if (!details.has(name)) details.set(name, { path: name, message });
  }
  return [...details.values()];
}

/** Throws VALIDATION_ERROR where there are problems. */
function refuse(details: ErrorDetail[]): void {
  if (details.length === 0) return;
  const message = details.map((detail) => detail.message).join('; ');
  throw new AppError('VALIDATION_ERROR', message, { details });
}

/**
 * Decodes the percent-encoded ASCII characters of a name. That is enough, because all known names are ASCII.
 * `decodeURIComponent` would throw for each wrongly encoded name. A query string may hold thousands of them, and it
 * takes long to make so many errors.
 */
function asciiOf(name: string): string {
  return name.replace(/%([0-7][\da-f])/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Decodes percent-encoded text, in which + is a space; undefined where it is not valid UTF-8. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
