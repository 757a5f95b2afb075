import { randomUUID } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../platform/makeFolder.js';
import { absent } from './absent.js';
import { nameOfKey } from './fileNames.js';
import { createFolderReader } from './folderReader.js';
import { OWNER_KEY, type MirrorFiles } from './mirrorFiles.js';

const INCOMING = 'incoming';
const OWNER_ONLY = 0o700;
const NO_SHARDS = new Set([INCOMING, dirname(OWNER_KEY)]);

/** Copies in a subfolder of `folder` that has the archive's name. */
export function createFolderFiles(folder: string, namespace: string): MirrorFiles {
  const root = join(folder, namespace);
  const incoming = join(root, INCOMING);
  const ownerPlace = join(root, OWNER_KEY);
  const openFile = createFolderReader();
  const pathOf = (key: string): string => {
    // Keys become paths. Nothing else may.
    if (nameOfKey(key) === null) throw new TypeError('That is no key of a mirrored file');
    return join(root, key);
  };
  const moveTo = async (target: string, path: string): Promise<void> => {
    await makeFolder(dirname(target), { mode: OWNER_ONLY });
    // Both paths are in one file system. So the file appears whole, or not at all.
    await rename(path, target);
  };
  return {
    incoming,
    ownerPlace,
    makeIncoming: () => makeFolder(incoming, { mode: OWNER_ONLY }),
    async put(key, path) {
      await moveTo(pathOf(key), path);
    },
    open: async (key, bytes, part) => openFile(pathOf(key), bytes, part),
    async has(key, bytes) {
      return (await stat(pathOf(key)).catch(absent))?.size === bytes;
    },
    async remove(keys) {
      for (const key of keys) await rm(pathOf(key), { force: true });
    },
    async *list() {
      for (const { name: shard } of await foldersIn(root)) {
        if (NO_SHARDS.has(shard)) continue;
        for (const name of await readdir(join(root, shard))) {
          const found = await stat(join(root, shard, name)).catch(absent);
          if (found?.isFile()) yield { key: `${shard}/${name}`, putAt: found.mtime };
        }
      }
    },
    async owner() {
      const id = await readFile(ownerPlace, 'utf8').catch(absent);
      return id && id.trim();
    },
    async setOwner(archiveId) {
      const path = join(incoming, randomUUID());
      await writeFile(path, archiveId, { mode: 0o600, flush: true });
      await moveTo(ownerPlace, path);
    },
  };
}

/**
 * The folders in a folder; none where it does not exist. Other files in it are ignored: some desktops put one into each
 * folder that they show.
 */
async function foldersIn(path: string): Promise<Dirent[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(absent);
  return (entries ?? []).filter((entry) => entry.isDirectory());
}
