import type { Dirent, Stats } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError } from './cliError.js';

/**
 * A file to import. `named` is true where it was given by name, not found in a folder. `error` says why it cannot be
 * read.
 */
export interface FoundFile {
  path: string;
  bytes: number;
  named: boolean;
  error?: string;
}

/** The name of a file that was meant as an export. */
export const JSON_NAME = /\.json(\.gz)?$/i;

/** How macOS names the file beside another one that holds its attributes. */
const ATTRIBUTES = '._';

/** The exporter appends this to a file's name to name the folder of its media. */
const MEDIA_FOLDER = '_Files';

/**
 * Lists the files of the given paths. Folders are walked in the order of their names. Links are followed, but each
 * folder is walked once. Hidden folders and files, and everything that is no regular file, are left out. A hidden file
 * that is named as JSON is taken: exporters begin a file's name with that of the server, which may begin with a dot. The
 * media folders of exports are left out, too: they hold attachments of members, and an export among these could be
 * forged. Throws CliError for a missing path.
 */
export async function walkFiles(paths: readonly string[]): Promise<FoundFile[]> {
  const visited = new Set<string>();
  const found: FoundFile[] = [];
  for (const path of paths) {
    const stats = await statNamed(path);
    if (stats.isDirectory()) await walkFolder(path, visited, found);
    else found.push({ path, bytes: stats.size, named: true });
  }
  return found;
}

async function statNamed(path: string): Promise<Stats> {
  const stats = await stat(path).catch((error: unknown) => {
    throw new CliError(`${path} cannot be read: ${reasonAt(path, error)}`);
  });
  if (!stats.isDirectory() && !stats.isFile()) {
    throw new CliError(`${path} is neither a file nor a folder`);
  }
  return stats;
}

async function walkFolder(folder: string, visited: Set<string>, found: FoundFile[]): Promise<void> {
  const identity = await realpath(folder);
  if (visited.has(identity)) return;
  visited.add(identity);
  const entries = await list(folder, found);
  const names = new Set(entries.map((entry) => entry.name));
  for (const entry of entries) {
    if (isHidden(entry) || isMediaFolder(entry, names)) continue;
    await walkEntry(join(folder, entry.name), visited, found);
  }
}

async function list(folder: string, found: FoundFile[]): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    found.push({ path: folder, bytes: 0, named: false, error: reasonOf(error) });
    return [];
  }
}

function isHidden(entry: Dirent): boolean {
  const { name } = entry;
  const mayBeExport = JSON_NAME.test(name) && !name.startsWith(ATTRIBUTES) && !entry.isDirectory();
  return name.startsWith('.') && !mayBeExport;
}

async function walkEntry(path: string, visited: Set<string>, found: FoundFile[]): Promise<void> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) await walkFolder(path, visited, found);
    else if (stats.isFile()) found.push({ path, bytes: stats.size, named: false });
  } catch (error) {
    found.push({ path, bytes: 0, named: false, error: reasonAt(path, error) });
  }
}

/**
 * Why nothing can be read at a path. Where a name is not UTF-8, its bytes have become the character U+FFFD, and the
 * changed name does not exist.
 */
function reasonAt(path: string, error: unknown): string {
  const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
  return isMissing && path.includes('\ufffd')
    ? 'its name, or that of a folder it is in, is not UTF-8: rename it'
    : reasonOf(error);
}

/**
 * Whether a folder is named after an export. The export may stand beside it, compressed or not, or may have been moved
 * away.
 */
function isMediaFolder({ name }: Dirent, siblings: ReadonlySet<string>): boolean {
  if (!name.endsWith(MEDIA_FOLDER)) return false;
  const file = name.slice(0, -MEDIA_FOLDER.length);
  return file.endsWith('.json') || siblings.has(file) || siblings.has(`${file}.gz`);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'permission is denied',
  ELOOP: 'its links lead in a circle',
  EEXIST: 'there is a file of that name, not a folder',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EISDIR: 'there is a folder of that name, not a file',
  EROFS: 'it can only be read there',
  ENOSPC: 'there is no space left',
};

/** Why a file or folder cannot be read or written, in words. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return REASONS[code ?? ''] ?? message;
}
