import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ValidationResult } from 'joi';
import { CliError } from '../cliError.js';
import { counted, formatCount } from '../numbers.js';
import { messageOf } from '../reachable.js';
import { safeText } from '../safeText.js';
import { version } from '../version.js';
import { reasonOf } from '../walkFiles.js';
import {
  BACKUP_FORMAT,
  backupFileName,
  KEPT,
  MANIFEST,
  manifestSchema,
  originSchema,
  type BackupFile,
  type KeptName,
  type Manifest,
  type Origin,
} from './backupFormat.js';
import { countDocuments } from './readDocuments.js';

/** Reads a backup's manifest, and checks every byte of its files. Throws CliError that names each damaged file. */
export async function checkBackup(folder: string): Promise<Manifest> {
  const manifest = await readManifest(folder);
  const problems: string[] = [];
  for (const name of KEPT) {
    const problem = await checkFile(folder, name, manifest.collections[name]);
    if (problem) problems.push(`${backupFileName(name)}: ${problem}`);
  }
  if (problems.length > 0) throw new CliError(`The backup is damaged\n${problems.join('\n')}`);
  return manifest;
}

async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, MANIFEST);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new CliError(
      `${folder} holds no whole backup: ${MANIFEST}, which is written last, cannot be read: ${reasonOf(error)}`,
    );
  });
  const told = parse(text);
  const origin = checked(path, originSchema.validate(told, { convert: false }));
  if (origin.format !== BACKUP_FORMAT) throw new CliError(otherFormat(folder, origin));
  return checked(path, manifestSchema.validate(told, { convert: false }));
}

function checked<T>(path: string, { value, error }: ValidationResult<T>): T {
  if (error) throw new CliError(`${path} is damaged: ${error.message}`);
  return value;
}

/** Why a backup of another format is refused: which version wrote it, which one this is, and what to do. */
function otherFormat(folder: string, { format, version: writer, createdAt }: Origin): string {
  const time = createdAt === undefined ? '' : ` on ${createdAt}`;
  const isEarlier = format < BACKUP_FORMAT;
  const unnamed = `${isEarlier ? 'an earlier' : 'a later'} version than this`;
  const by = writer === undefined ? unnamed : `version ${safeText(writer)}`;
  const todo = isEarlier
    ? 'Restore it with the version that wrote it, and then update the restored archive'
    : 'Restore it with the version that wrote it, or update this one first';
  return `${folder} is a backup of format ${format}, written${time} by ${by}. This is version ${version()}, which reads format ${BACKUP_FORMAT}. ${todo}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function checkFile(
  folder: string,
  name: KeptName,
  expected: BackupFile,
): Promise<string | undefined> {
  const path = join(folder, backupFileName(name));
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const piece of createReadStream(path)) {
      hash.update(piece as Buffer);
      bytes += (piece as Buffer).length;
    }
    if (bytes !== expected.bytes) return `it has ${bytes} bytes, and should have ${expected.bytes}`;
    if (hash.digest('hex') !== expected.sha256) return 'its content has changed';
    // A byte of the manifest itself may have changed.
    const documents = await countDocuments(path);
    if (documents === expected.documents) return undefined;
    return `it has ${counted(documents, 'document')}, and should have ${formatCount(expected.documents)}`;
  } catch (error) {
    return messageOf(error);
  }
}
