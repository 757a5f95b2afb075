import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SHORTEST_SECRET } from '../../shared/platform/env.js';

/**
 * Reads the secret in the file `name` of a data folder. Where the file is missing, it makes a secret and writes it there.
 * It does the same where a power cut or a full disk has left the file empty or cut off. Only the file's owner can read
 * the file.
 */
export async function keptSecret(
  dataDir: string,
  name: 'jwt-secret' | 'redis-password',
): Promise<string> {
  const file = join(dataDir, name);
  const kept = await readIfThere(file);
  // Some file systems leave zeros in place of bytes that were not written to the disk.
  if (kept.length >= SHORTEST_SECRET && !kept.includes('\0')) return kept;
  const secret = randomBytes(32).toString('hex');
  await mkdir(dataDir, { recursive: true });
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, secret, { mode: 0o600, flush: true });
  await rename(temporary, file);
  return secret;
}

async function readIfThere(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return '';
  }
}
