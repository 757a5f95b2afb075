import type { Redis } from 'ioredis';
import { PlatformAway } from './platformErrors.js';

/** The platform allows a bot 50 requests in any second. One is left for `forum-archive bot check`. */
const MOST_REQUESTS = 49;
/**
 * How long a request counts after its answer (ms). The platform received it before that, so another one may take its
 * place a second later. One millisecond is added, as the scripts cut times to whole milliseconds.
 */
const HELD_AFTER_ANSWER_MS = 1_001;
/** A request without an answer counts for so long (ms). No request takes longer, so its process has ended. */
const LONGEST_REQUEST_MS = 60_000;
/** The platform bans an address after 10,000 invalid requests in ten minutes. */
const MOST_INVALID = 1_000;
const INVALID_WITHIN_MS = 600_000;
const MANY_INVALID =
  'The platform refused 1,000 requests within ten minutes, and would ban this address after 10,000';

/** How long to wait before asking again. */
export interface Wait {
  /** Milliseconds; 0 where the request may be sent. */
  ms: number;
  /** Why nothing at all may be sent; null where only the number of requests in a second is limited. */
  why: string | null;
}

/**
 * The limits that all processes of an archive share: the number of requests over all routes, and a pause that the
 * platform asked for. Nothing may be sent uncounted. So while Redis does not answer, each call waits or throws
 * PlatformAway, whichever its connection does.
 */
export interface Admission {
  /** Asks whether a request may be sent. Where it may, it counts until it is answered. */
  ask(requestId: string): Promise<Wait>;
  /** Notes that a request was answered, or failed. */
  answered(requestId: string): Promise<void>;
  /** Lets nothing be sent for so long (ms). `why` is told to those who ask meanwhile. */
  stop(ms: number, why: string): Promise<void>;
  /** Counts an answer that counts towards the platform's ban. */
  countInvalid(): Promise<void>;
}

// The scripts read the clock of Redis, because the clocks of processes differ. KEYS[1] holds one entry for each
// request, with the time at which the entry ends. If that clock is set back, the older entries end later than any
// request can last. The script removes such entries, and those that have ended.
const ASK = `
local stopped = redis.call('PTTL', KEYS[2])
if stopped > 0 then return {stopped, redis.call('GET', KEYS[2])} end
if tonumber(redis.call('GET', KEYS[3]) or '0') >= tonumber(ARGV[3]) then return {redis.call('PTTL', KEYS[3]), ARGV[6]} end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. now + ARGV[4], '+inf')
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then
  local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
  return {math.min(first - now, tonumber(ARGV[2]))}
end
redis.call('ZADD', KEYS[1], now + ARGV[4], ARGV[5])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return {0}`;

// An entry that has been removed meanwhile is not added again.
const ANSWERED = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], 'XX', now + ARGV[1], ARGV[2])`;

// A shorter stop does not replace a longer one.
const STOP = `
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[1]) end`;

const COUNT_INVALID = `
if redis.call('INCR', KEYS[1]) == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end`;

/** Counts the requests of an archive in Redis; `namespace` is the database's name. */
export function createAdmission(redis: Redis, namespace: string): Admission {
  const [requests, stopped, invalid] = ['requests', 'stopped', 'invalid'].map(
    (name) => `${namespace}:platform:${name}`,
  ) as [string, string, string];
  const run = async (script: string, keys: string[], ...values: (string | number)[]) => {
    try {
      return await redis.eval(script, keys.length, ...keys, ...values);
    } catch (error) {
      throw new PlatformAway(`Redis does not count requests: ${(error as Error).message}`);
    }
  };
  return {
    async ask(requestId) {
      const limits = [MOST_REQUESTS, HELD_AFTER_ANSWER_MS, MOST_INVALID, LONGEST_REQUEST_MS];
      const keys = [requests, stopped, invalid];
      const [ms, why = null] = (await run(ASK, keys, ...limits, requestId, MANY_INVALID)) as [
        number,
        string?,
      ];
      return { ms, why };
    },
    async answered(requestId) {
      await run(ANSWERED, [requests], HELD_AFTER_ANSWER_MS, requestId);
    },
    async stop(ms, why) {
      await run(STOP, [stopped], Math.ceil(ms), why);
    },
    async countInvalid() {
      await run(COUNT_INVALID, [invalid], INVALID_WITHIN_MS);
    },
  };
}
