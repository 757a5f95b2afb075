import type Joi from 'joi';

/**
 * The names of the values that an object schema holds. `describe()` tells them, too, but describes and checks all that
 * the schema holds, which takes some milliseconds.
 */
export function keysOf(schema: Joi.ObjectSchema): string[] {
  const keys = (schema.$_terms['keys'] ?? []) as { key: string }[];
  return keys.map(({ key }) => key);
}
