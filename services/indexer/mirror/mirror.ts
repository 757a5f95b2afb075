import { createHash } from 'node:crypto';
import type { FreshLinks } from '../../../shared/discordApi/freshLinks.js';
import type { MirrorFiles } from '../../../shared/mirror/mirrorFiles.js';
import type { MirrorSettings } from '../../../shared/mirror/openMirror.js';
import type { Logger } from '../../../shared/platform/logger.js';
import { seldom } from '../../../shared/platform/seldom.js';

const MEGABYTE = 1_000_000;
const GIGABYTE = 1_000_000_000;
/** The shortest time (ms) between two log lines about files that fail. */
const LOG_EVERY_MS = 60_000;
const FAILED = 'A file could not be copied and will be tried again, as may be others';

/** How files are copied, and which. */
export interface Mirror {
  files: MirrorFiles;
  /** Gives links that can be opened now; null without a bot. */
  links: FreshLinks | null;
  /** The address from which files are fetched, without a slash at the end. */
  cdnUrl: string;
  /** Whether files of a media type are copied. */
  takes: (type: string | null) => boolean;
  maxFileBytes: number;
  maxTotalBytes: number;
  /**
   * A digest of all settings that decide which files are copied. After it has changed, the mirror is looked through.
   */
  settings: string;
  /**
   * This process fetches nothing before `until`, a time of `performance.now()`. `failures` counts the failures since
   * the last success.
   */
  pause: { until: number; failures: number };
  /**
   * Where the mirror did not answer, or belongs to another archive, this process looks again at `until`, a time of
   * `performance.now()`. `asked` is the read of the id that the mirror holds, while that is under way.
   */
  away: { until: number; asked: Promise<string | null> | null };
  /**
   * Logs a file that failed. Many fail at once while the platform is away, so this process logs one a minute at most.
   */
  logFailure: (logger: Logger, told: { err: unknown; subject: string }) => void;
}

/** Makes the mirror that the settings describe. */
export function createMirror(
  settings: MirrorSettings,
  files: MirrorFiles,
  links: FreshLinks | null,
): Mirror {
  const { MIRROR_TYPES, MIRROR_MAX_FILE_MB, MIRROR_MAX_TOTAL_GB, DISCORD_CDN_URL } = settings;
  const { MIRROR_FOLDER, MIRROR_S3_BUCKET, MIRROR_S3_ENDPOINT } = settings;
  const place = [MIRROR_FOLDER, MIRROR_S3_BUCKET, MIRROR_S3_ENDPOINT];
  const limits = [MIRROR_TYPES, MIRROR_MAX_FILE_MB, MIRROR_MAX_TOTAL_GB, links !== null];
  const digest = createHash('sha256').update(JSON.stringify([place, limits, DISCORD_CDN_URL]));
  return {
    files,
    links,
    cdnUrl: DISCORD_CDN_URL,
    takes: typeMatcher(MIRROR_TYPES),
    pause: { until: 0, failures: 0 },
    away: { until: 0, asked: null },
    logFailure: seldom(LOG_EVERY_MS, (logger, told) => logger.warn(told, FAILED)),
    maxFileBytes: MIRROR_MAX_FILE_MB * MEGABYTE,
    maxTotalBytes: MIRROR_MAX_TOTAL_GB * GIGABYTE,
    settings: digest.digest('hex').slice(0, 16),
  };
}

/** Makes a test of media types from a list such as `image/*, application/pdf`. */
function typeMatcher(setting: string): Mirror['takes'] {
  const named = setting.split(',').map((one) => one.trim().toLowerCase());
  const all = new Set(named);
  return (type) => {
    const essence = mediaType(type);
    return all.has(essence) || all.has(`${essence.split('/')[0]}/*`);
  };
}

/** A media type without its parameters, in lower case. */
export function mediaType(type: string | null): string {
  return (type ?? '').split(';')[0]!.trim().toLowerCase();
}
