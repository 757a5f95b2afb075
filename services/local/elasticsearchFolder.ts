import { randomUUID } from 'node:crypto';
import {
  chmod,
  cp,
  lchown,
  mkdir,
  readdir,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LaunchError } from './launchError.js';
import { isOpenToOthers, type OtherUser } from './otherUser.js';

const ELSEWHERE = '/var/lib/forum-archive';

/** The folders of an Elasticsearch node. They belong to the user who runs it. */
export interface ElasticsearchFolders {
  config: string;
  data: string;
  logs: string;
  temporary: string;
}

/**
 * Prepares the folders of a node in DATA_DIR/elasticsearch, with a fresh copy of the configuration in its home. Only the
 * user who runs the node can enter that folder. Where this is another user, who cannot reach DATA_DIR, the folder there
 * is a link to one that this user can reach. Throws LaunchError where the folder was made before, and cannot be reached.
 */
export async function prepareElasticsearchFolder(
  dataDir: string,
  home: string,
  settings: (folders: ElasticsearchFolders) => string,
  user: OtherUser | undefined,
): Promise<ElasticsearchFolders> {
  const root = await createRoot(join(dataDir, 'elasticsearch'), user);
  if (user !== undefined) await giveTo(user, root);
  await chmod(root, 0o700);
  const folders = {
    config: join(root, 'config'),
    data: join(root, 'data'),
    logs: join(root, 'logs'),
    temporary: join(root, 'tmp'),
  };
  await rm(folders.config, { recursive: true, force: true });
  await cp(join(home, 'config'), folders.config, { recursive: true });
  await writeFile(join(folders.config, 'elasticsearch.yml'), settings(folders));
  for (const folder of Object.values(folders)) {
    await mkdir(folder, { recursive: true });
    if (user !== undefined) await giveTo(user, folder);
  }
  return folders;
}

async function createRoot(place: string, user: OtherUser | undefined): Promise<string> {
  const existing = await realpath(place).catch(() => undefined);
  const isReachable = user === undefined || (await isOpenToOthers(dirname(existing ?? place)));
  if (existing !== undefined && !isReachable)
    throw new LaunchError(
      `Elasticsearch is run by the user nobody, who cannot reach ${existing}. Let others enter the folders above it (chmod o+x), or use another folder: DATA_DIR=<folder>`,
    );
  if (existing !== undefined) return existing;
  await rm(place, { force: true });
  if (isReachable) {
    await mkdir(place, { recursive: true });
    return place;
  }
  const elsewhere = join(ELSEWHERE, randomUUID());
  await mkdir(elsewhere, { recursive: true });
  // Others must be able to enter it, whatever the umask is.
  await chmod(ELSEWHERE, 0o755);
  await symlink(elsewhere, place);
  return elsewhere;
}

/** Removes a whole data folder, and what its Elasticsearch folder links to. */
export async function removeDataDir(dataDir: string): Promise<void> {
  const root = await realpath(join(dataDir, 'elasticsearch')).catch(() => undefined);
  if (root?.startsWith(`${ELSEWHERE}/`) === true) await rm(root, { recursive: true, force: true });
  await rm(dataDir, { recursive: true, force: true });
}

/**
 * Gives a folder to a user, with all that it holds. The folder itself comes last. So one that belongs to the user was
 * given as a whole, even if a launcher was killed meanwhile.
 */
export async function giveTo(user: OtherUser, folder: string): Promise<void> {
  const { uid } = await stat(folder);
  if (uid === user.uid) return;
  const names = await readdir(folder, { recursive: true });
  for (const path of [...names.map((name) => join(folder, name)), folder]) {
    await lchown(path, user.uid, user.gid);
  }
}
