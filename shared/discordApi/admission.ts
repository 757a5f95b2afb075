import type { Redis } from 'ioredis';
import { PlatformAway } from './platformErrors.js';

/** The platform allows a bot 50 requests in any second. One is left for `forum-archive bot check`. */
const MOST_REQUESTS = 49;
/**
 * A request that was answered reached the platform before. So a second after its answer, of which parts of a
 * millisecond may be cut off, another may take its place.
 */
const HELD_AFTER_ANSWER_MS = 1_001;
/** What was not answered for so long was sent by a process that has ended: no request takes this long. */
const LONGEST_REQUEST_MS = 60_000;
/** The platform bans an address after 10,000 invalid requests in ten minutes. */
const MOST_INVALID = 1_000;
const INVALID_WITHIN_MS = 600_000;

/**
 * What all processes of an archive share: the limit over all routes, and the platform's word to stop. All of it throws
 * PlatformAway while Redis does not count: nothing may be sent uncounted.
 */
export interface Admission {
  /** Milliseconds to wait before asking again; 0 where the request may be sent. It counts until it is answered. */
  ask(requestId: string): Promise<number>;
  /** Tells that a request was answered, or failed. */
  answered(requestId: string): Promise<void>;
  /** Nothing is sent for so long. */
  stop(ms: number): Promise<void>;
  /** Counts an answer that the platform counts as invalid. */
  countInvalid(): Promise<void>;
}

// Times are by the clock of Redis, as the clocks of processes differ. A place that ends later than any request may last
// was taken before that clock was set back: it is free.
const ASK = `
local stopped = redis.call('PTTL', KEYS[2])
if stopped > 0 then return stopped end
if tonumber(redis.call('GET', KEYS[3]) or '0') >= tonumber(ARGV[3]) then return redis.call('PTTL', KEYS[3]) end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. now + ARGV[4], '+inf')
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then
  local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
  return math.min(first - now, tonumber(ARGV[2]))
end
redis.call('ZADD', KEYS[1], now + ARGV[4], ARGV[5])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 0`;

// One that was taken for lost has no place any more.
const ANSWERED = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], 'XX', now + ARGV[1], ARGV[2])`;

// A longer stop is not made shorter.
const STOP = `
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], 1, 'PX', ARGV[1]) end`;

const COUNT_INVALID = `
if redis.call('INCR', KEYS[1]) == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end`;

/** The admission of an archive, kept in Redis; `namespace` is the database's name. */
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
      return (await run(ASK, [requests, stopped, invalid], ...limits, requestId)) as number;
    },
    async answered(requestId) {
      await run(ANSWERED, [requests], HELD_AFTER_ANSWER_MS, requestId);
    },
    async stop(ms) {
      await run(STOP, [stopped], Math.ceil(ms));
    },
    async countInvalid() {
      await run(COUNT_INVALID, [invalid], INVALID_WITHIN_MS);
    },
  };
}
