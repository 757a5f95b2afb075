import Joi from 'joi';
import { characterCount } from './characterCount.js';
import { parseTime } from './parseTime.js';

/** A snowflake id as text: digits, never a JSON number. */
export const id = (description: string) =>
  Joi.string()
    .pattern(/^\d{1,20}$/)
    .required()
    .description(description);

/** Text that may be empty. */
export const text = (description: string) =>
  Joi.string().allow('').required().description(description);

/** A text of at most so many characters, counted as JSON Schema counts them: joi itself counts most emoji twice. */
export const atMost = (characters: number, schema: Joi.StringSchema = Joi.string()) =>
  schema
    .custom((value: string, helpers) =>
      characterCount(value) > characters
        ? helpers.error('string.max', { limit: characters })
        : value,
    )
    .meta({ jsonSchema: { maxLength: characters } });

/** Text, or null where there is none. */
export const nullableText = (description: string) =>
  Joi.string().allow('', null).required().description(description);

const timestamp = () =>
  Joi.string()
    .isoDate()
    .pattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);

/** A time: ISO 8601, UTC, with milliseconds. */
export const time = (description: string) =>
  timestamp().required().description(`${description} (ISO 8601, UTC, milliseconds)`);

/** A time, or null where it never came. */
export const nullableTime = (description: string) =>
  timestamp().allow(null).required().description(`${description} (ISO 8601, UTC, milliseconds)`);

/**
 * A time that a caller gives: an ISO date or time, read as UTC unless it names a zone. The checked value is in UTC, with
 * milliseconds.
 */
export const givenTime = (description: string) =>
  Joi.string()
    .custom((value: string, helpers) => {
      const milliseconds = parseTime(value);
      return Number.isNaN(milliseconds)
        ? helpers.error('string.isoDate')
        : new Date(milliseconds).toISOString();
    })
    .messages({ 'string.isoDate': '{{#label}} must be a date or time in ISO 8601' })
    .meta({ jsonSchema: { anyOf: [{ format: 'date' }, { format: 'date-time' }] } })
    .description(description);

/** A whole number from 0. */
export const count = (description: string) =>
  Joi.number().integer().min(0).required().description(description);

/** A whole number from 0, or null where the source did not tell. */
export const nullableCount = (description: string) =>
  Joi.number().integer().min(0).allow(null).required().description(description);

/** A size in pixels. It may have a fraction. It is null where the source does not tell it. */
export const nullablePixels = (description: string) =>
  Joi.number().min(0).allow(null).required().description(`${description} (pixels)`);

/** True or false. */
export const flag = (description: string) => Joi.boolean().required().description(description);

/** One of some words. */
export const oneOf = <T extends string>(values: readonly T[], description: string) =>
  Joi.string<T>()
    .valid(...values)
    .required()
    .description(description);

/** A list, every element of one shape. */
export const listOf = (item: Joi.Schema, description: string) =>
  Joi.array().items(item).required().description(description);

/** The end of a page: whether the list goes on, and the cursor for that. */
export const pageEnd = () => ({
  nextCursor: Joi.string()
    .allow(null)
    .required()
    .description('Cursor of the next page; null on the last'),
  hasMore: flag('Whether another page follows'),
});

/** Query parameter: a whole number in plain digits, as `7`; not as `07`, `+7`, `7.0` or `7e0`. */
export const wholeNumberParameter = () =>
  Joi.number()
    .integer()
    .custom((value: number, helpers) =>
      String(value) === helpers.original ? value : helpers.error('number.integer'),
    )
    .messages({ 'number.integer': '{{#label}} must be a whole number in plain digits' });

/** Query parameter: results on a page. */
export const limitParameter = (what = 'Results on a page') =>
  wholeNumberParameter().min(1).max(100).default(20).description(`${what}, 1 to 100 (default 20)`);

/** Query parameter: a text. White space around it is removed, and the rest must not be empty. */
export const filterParameter = (description: string) =>
  Joi.string().trim().pattern(/\S/).description(description);

/** Query parameter: the cursor of an earlier page, after which the list goes on. */
export const cursorParameter = () =>
  atMost(256).description(
    'nextCursor of the page before, with the same filters and sort; the limit may change',
  );

/** Query of a list that has no filters. */
export interface PageQuery {
  limit: number;
  cursor?: string;
}

/** Checks a PageQuery. */
export const pageQuerySchema = Joi.object<PageQuery, true>({
  limit: limitParameter(),
  cursor: cursorParameter(),
});
