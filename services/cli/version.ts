import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIST } from '../local/services.js';

/** The version of this package. */
export function version(): string {
  const text = readFileSync(join(DIST, '..', 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
