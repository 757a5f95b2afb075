import { LRUCache } from 'lru-cache';
import { isBlank } from './blankMessage.js';
import { expiryOf, unsignedUrl } from './cdnUrls.js';
import { sentFiles } from './componentMedia.js';
import { grantedIntents, LACKS_MESSAGE_CONTENT } from './grantedIntents.js';
import { gatherReads } from '../platform/gatherReads.js';
import { isTimeLimit } from '../platform/storeErrors.js';
import type { PlatformClient, PlatformRequest } from './platformClient.js';
import {
  isProofOfDeletion,
  PlatformAnswerError,
  PlatformAway,
  PlatformForbidden,
  PlatformRefused,
} from './platformErrors.js';
import {
  applicationRequest,
  messageRequest,
  REFRESHED_AT_ONCE,
  refreshUrlsRequest,
} from './requests.js';

/** An attachment, and where it was sent. */
export interface SentAttachment {
  attachmentId: string;
  messageId: string;
  threadId: string;
  /** Its link without a signature. */
  url: string;
}

/** Links remembered in each process. */
const MOST_LINKS = 20_000;
/** A link is given out until this long (ms) before it expires, so that there is time to follow it. */
const LEFT_MS = 10 * 60_000;
/** How long a link is remembered (ms) where it does not tell when it expires. */
const UNTOLD_MS = 60_000;
/** How long it is remembered (ms) that a file is gone, or that the bot may not see it. */
const GONE_MS = 10 * 60_000;
/**
 * How long (ms) links are taken from messages alone, after the platform has forbidden the bot to refresh links. Each
 * such refusal counts towards a ban.
 */
const REFRESH_FORBIDDEN_MS = 10 * 60_000;
/** What is remembered of a file: its link, or null where it is gone, or the error where the bot may not see it. */
type Known = { link: string | null } | { forbidden: PlatformForbidden };

/**
 * When the platform has refused to show so many messages within REFUSED_WITHIN_MS, nothing more is asked for. It bans
 * an address after too many refusals, and an archive may hold any number of files of a server that the bot is not in.
 * A request under way counts as refused until it is answered.
 */
const MOST_REFUSED = 50;
const REFUSED_WITHIN_MS = 10 * 60_000;
/** Links that are asked for within this time (ms) share one request, such as those of a page with many pictures. */
const GATHER_MS = 20;
/** The longest that a reader waits (ms) for the platform and its limits. */
const LONGEST_MS = 8_000;

/** Gives links that can be opened now. */
export interface FreshLinks {
  /**
   * A link that can be opened now; null where the file is gone. Throws what the platform's client throws:
   * PlatformForbidden where the bot may not see the file, which may still be there.
   */
  linkOf(file: SentAttachment): Promise<string | null>;
}

/** Asks the platform for fresh links, many at once, and remembers them until shortly before they expire. */
export function createFreshLinks(platform: PlatformClient): FreshLinks {
  const refresh = gatherReads<string, string | null>({
    call: (urls) => refreshAll(platform, urls),
    most: REFRESHED_AT_ONCE,
    atOnce: Infinity,
    gatherMs: GATHER_MS,
    refuse: () => undefined,
    waitMs: Infinity,
  });
  let forbiddenUntil = 0;
  /** The fresh link; null where the platform gives none. Its documentation does not promise the form of the answer. */
  const refreshed = async (url: string): Promise<string | null> => {
    if (performance.now() < forbiddenUntil) return null;
    try {
      return await refresh(url);
    } catch (error) {
      const isItsAnswer = error instanceof PlatformRefused || error instanceof PlatformAnswerError;
      if (!isItsAnswer) throw error;
      if (error instanceof PlatformForbidden)
        forbiddenUntil = performance.now() + REFRESH_FORBIDDEN_MS;
      return null;
    }
  };
  let refusedAt: number[] = [];
  let underWay = 0;
  const mayAsk = (): boolean => {
    refusedAt = refusedAt.filter((at) => performance.now() - at < REFUSED_WITHIN_MS);
    return refusedAt.length + underWay < MOST_REFUSED;
  };
  const ask = async (file: SentAttachment): Promise<Known> => {
    underWay += 1;
    try {
      return { link: await askMessage(platform, file) };
    } catch (error) {
      if (!(error instanceof PlatformForbidden)) throw error;
      refusedAt.push(performance.now());
      return { forbidden: error };
    } finally {
      underWay -= 1;
    }
  };
  const links = new LRUCache<string, Known, SentAttachment>({
    max: MOST_LINKS,
    async fetchMethod(_url, _stale, { context: file, options }) {
      const link = await refreshed(file.url);
      if (link === null && !mayAsk())
        throw new PlatformAway('It has refused to show many messages, or is asked for many now');
      const known = link === null ? await ask(file) : { link };
      const fresh = 'link' in known ? known.link : null;
      options.ttl = fresh === null ? GONE_MS : Math.max(1, lifetimeMs(fresh));
      return known;
    },
  });
  return {
    async linkOf(file) {
      const known = (await links.fetch(file.url, { context: file })) ?? { link: null };
      if ('forbidden' in known) throw known.forbidden;
      return known.link;
    },
  };
}

/** The fresh link for each link; null where there is none. A fresh link to another file is dropped. */
async function refreshAll(
  platform: PlatformClient,
  urls: readonly string[],
): Promise<(string | null)[]> {
  const value = await askInTime(platform, refreshUrlsRequest(urls));
  const links = new Map(
    value.refreshed_urls.map(({ original, refreshed }) => [original, refreshed]),
  );
  return urls.map((url) => {
    const fresh = links.get(url) ?? null;
    return fresh !== null && unsignedUrl(fresh) === url ? fresh : null;
  });
}

/**
 * The link that stands in the message now; null where the message, or the file in it, is gone. Where the bot may not
 * read the content of messages, the platform sends them blank, which says nothing about their files. This throws
 * PlatformAway then.
 */
async function askMessage(
  platform: PlatformClient,
  { threadId, messageId, attachmentId, url }: SentAttachment,
): Promise<string | null> {
  try {
    const value = await askInTime(platform, messageRequest(threadId, messageId));
    const forwarded = (value.message_snapshots ?? []).map(({ message }) => message);
    const files = [value, ...forwarded].flatMap(sentFiles);
    const now = files.find(({ id }) => id === attachmentId)?.url;
    if (isBlank(value)) await requireContent(platform);
    return now !== undefined && unsignedUrl(now) === url ? now : null;
  } catch (error) {
    if (!isProofOfDeletion(error)) throw error;
    return null;
  }
}

async function requireContent(platform: PlatformClient): Promise<void> {
  const application = await askInTime(platform, applicationRequest);
  if (!grantedIntents(application).messageContent) throw new PlatformAway(LACKS_MESSAGE_CONTENT);
}

/** Asks the platform, but not for longer than LONGEST_MS. A platform that takes longer counts as away. */
async function askInTime<T>(platform: PlatformClient, request: PlatformRequest<T>): Promise<T> {
  try {
    return (await platform.get(request, AbortSignal.timeout(LONGEST_MS))).value;
  } catch (error) {
    if (isTimeLimit(error)) throw new PlatformAway('The platform takes too long to answer');
    throw error;
  }
}

/** How long a link can be given out (ms). */
function lifetimeMs(link: string): number {
  const expiry = expiryOf(link);
  return Number.isNaN(expiry) ? UNTOLD_MS : expiry - Date.now() - LEFT_MS;
}
