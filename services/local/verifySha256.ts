import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { LaunchError } from './launchError.js';

/**
 * Resolves where the file has this SHA-256 (hexadecimal). Otherwise throws an error that names the file and both sums,
 * and says what to do: `otherwise`.
 */
export async function verifySha256(
  file: string,
  expected: string,
  otherwise: string,
): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const actual = hash.digest('hex');
  if (actual === expected) return;
  throw new LaunchError(
    `${file} is not the pinned file and was not used: its SHA-256 is ${actual}, expected ${expected}. Perhaps a proxy or mirror has changed it. ${otherwise}`,
  );
}
