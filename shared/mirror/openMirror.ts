import type { Settings } from '../platform/env.js';
import { SettingsError } from '../platform/settingsError.js';
import { createBucketFiles } from './bucketFiles.js';
import { createFolderFiles } from './folderFiles.js';
import type { MirrorFiles } from './mirrorFiles.js';

/** The settings of the mirror. */
export type MirrorSettings = Pick<
  Settings,
  | 'MIRROR_FOLDER'
  | 'MIRROR_S3_BUCKET'
  | 'MIRROR_S3_ENDPOINT'
  | 'MIRROR_S3_REGION'
  | 'MIRROR_S3_ACCESS_KEY'
  | 'MIRROR_S3_SECRET_KEY'
  | 'MIRROR_TYPES'
  | 'MIRROR_MAX_FILE_MB'
  | 'MIRROR_MAX_TOTAL_GB'
  | 'DISCORD_CDN_URL'
>;

/** The mirror that the settings name, for reading; null where they name none. */
export async function openMirror(
  settings: MirrorSettings,
  namespace: string,
): Promise<MirrorFiles | null> {
  const { MIRROR_FOLDER: folder, MIRROR_S3_BUCKET: name } = settings;
  if (folder !== undefined) return createFolderFiles(folder, namespace);
  if (name === undefined) return null;
  const bucket = {
    name,
    endpoint: settings.MIRROR_S3_ENDPOINT,
    region: settings.MIRROR_S3_REGION,
    // The settings' schema requires both keys where a bucket is set.
    accessKey: settings.MIRROR_S3_ACCESS_KEY!,
    secretKey: settings.MIRROR_S3_SECRET_KEY!,
  };
  return createBucketFiles(bucket, namespace);
}

/** The same for writing: makes the folder into which files are downloaded. Throws SettingsError where that fails. */
export async function openWritableMirror(
  settings: MirrorSettings,
  namespace: string,
): Promise<MirrorFiles | null> {
  const files = await openMirror(settings, namespace);
  if (!files) return null;
  try {
    await files.makeIncoming();
    return files;
  } catch (error) {
    // Files for a bucket are downloaded into the temporary folder of the system.
    const name = settings.MIRROR_FOLDER === undefined ? 'TMPDIR' : 'MIRROR_FOLDER';
    throw new SettingsError([`${name} cannot be used: ${(error as Error).message}`]);
  }
}
