import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { createMirror, type Mirror } from '../../services/indexer/mirror/mirror.js';
import { createServiceLinks } from '../../services/indexer/views/serviceLinks.js';
import { ALL_KINDS } from '../../services/indexer/work/kinds.js';
import { runDue } from '../../services/indexer/work/runMarks.js';
import type { IndexerDeps } from '../../services/indexer/deps.js';
import type { MirrorFiles } from '../../shared/mirror/mirrorFiles.js';
import { openWritableMirror } from '../../shared/mirror/openMirror.js';
import { readSettings } from '../../shared/platform/env.js';
import type { AttachmentRecord } from '../../shared/store/records.js';
import { liveTime } from '../../shared/store/sourceTime.js';
import { AT_ONCE, NEVER } from '../../shared/store/work.js';
import { startBucketServer } from './bucketServer.js';
import { anId } from './factories.js';

/** The time of live data in tests. */
export const LIVE = liveTime(1_790_000_000_000_000);

/** A place to which files are copied. */
export interface MirrorPlace {
  env: Record<string, string>;
  close(): Promise<void>;
}

/** A folder of the test's own. */
export function aFolder(): Promise<MirrorPlace> {
  const folder = mkdtempSync(join(tmpdir(), 'forum-archive-mirror-'));
  return Promise.resolve({
    env: { MIRROR_FOLDER: folder },
    close() {
      rmSync(folder, { recursive: true });
      return Promise.resolve();
    },
  });
}

/** A bucket of the test's own. */
export async function aBucket(): Promise<MirrorPlace> {
  const server = await startBucketServer();
  const { endpoint, bucket, accessKey, secretKey } = server;
  return {
    env: {
      MIRROR_S3_ENDPOINT: endpoint,
      MIRROR_S3_BUCKET: bucket,
      MIRROR_S3_ACCESS_KEY: accessKey,
      MIRROR_S3_SECRET_KEY: secretKey,
    },
    close: () => server.close(),
  };
}

/** A write side that copies files. Links of the platform open as they are, unless `hasBot` is false. */
export async function withMirror(
  deps: IndexerDeps,
  env: Record<string, string>,
  { hasBot = true }: { hasBot?: boolean } = {},
): Promise<IndexerDeps & { mirror: Mirror }> {
  const settings = readSettings(env);
  const files = (await openWritableMirror(settings, deps.namespace))!;
  const links = hasBot ? { linkOf: ({ url }: { url: string }) => Promise.resolve(url) } : null;
  return {
    ...deps,
    links: createServiceLinks({
      publicUrl: 'https://archive.example',
      cdnUrl: settings.DISCORD_CDN_URL,
    }),
    mirror: createMirror(settings, files, links),
  };
}

/** An attachment of a thread's message, in the platform's form. */
export function aFile(
  cdnUrl: string,
  threadId: string,
  more: Partial<AttachmentRecord> = {},
): AttachmentRecord {
  const id = more.id ?? anId();
  return {
    id,
    filename: 'a.png',
    url: `${cdnUrl}/attachments/${threadId}/${id}/a.png`,
    contentType: 'image/png',
    size: 1,
    width: 1,
    height: 1,
    ...more,
  };
}

/** The keys of all files in a mirror. */
export async function storedKeys(files: Pick<MirrorFiles, 'list'>): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of files.list()) keys.push(key);
  return keys;
}

/** The path of a file's link. */
export function pathOf({ url }: Pick<AttachmentRecord, 'url'>): string {
  return new URL(url).pathname;
}

/** The work from which copies of files may follow. Lists of similar threads show no files. */
const WITH_FILES = ALL_KINDS.filter((kind) => kind !== 'similar' && kind !== 'shown');

/**
 * Does all marks that are due now, except for those of similar threads. Marks that are due later stay. The clock stands
 * still meanwhile, as copying ends after a time and leaves the rest for later.
 */
export async function doDue(deps: IndexerDeps): Promise<void> {
  const { work } = deps.collections;
  const isFree = {
    kind: { $in: WITH_FILES.filter((kind) => kind !== 'mirror') },
    claim: { $exists: false },
    due: { $ne: NEVER },
  };
  const now = Date.now();
  const clock = mock.method(Date, 'now', () => now);
  try {
    do await work.updateMany(isFree, { $set: { due: AT_ONCE } });
    while ((await runDue(deps, {}, WITH_FILES)) === true);
  } finally {
    clock.mock.restore();
  }
}
