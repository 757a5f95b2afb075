import { readFileSync } from 'node:fs';
import type Joi from 'joi';

/** Reads a JSON file and checks it. Throws an error that names the file and what is wrong in it. */
export function readChecked<T>(file: string | URL, schema: Joi.ObjectSchema<T>): T {
  const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const result = schema.validate(parsed);
  if (result.error) throw new Error(`${String(file)}: ${result.error.message}`);
  return result.value;
}
