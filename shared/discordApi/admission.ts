import type { Redis } from 'ioredis';

/** The platform allows a bot 50 requests in any second; requests sent evenly may arrive closer together. */
const MOST_REQUESTS = 49;
const WITHIN_MS = 1_040;
/** The platform bans an address after 10,000 invalid requests in ten minutes. */
const MOST_INVALID = 1_000;
const INVALID_WITHIN_MS = 600_000;

/** What all processes of an archive share: the limit over all routes, and the platform's word to stop. */
export interface Admission {
  /** Milliseconds to wait before a request; 0 counts the request as sent. */
  ask(): Promise<number>;
  /** Nothing is sent for so long. */
  stop(ms: number): Promise<void>;
  /** Counts an answer that the platform counts as invalid. */
  countInvalid(): Promise<void>;
}

// Redis' own clock: those of processes differ.
const ASK = `
local stopped = redis.call('PTTL', KEYS[2])
if stopped > 0 then return stopped end
if tonumber(redis.call('GET', KEYS[3]) or '0') >= tonumber(ARGV[3]) then return redis.call('PTTL', KEYS[3]) end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local first = redis.call('LINDEX', KEYS[1], ARGV[1] - 1)
if first then
  local wait = tonumber(first) + ARGV[2] - now
  if wait > 0 then return math.min(wait, tonumber(ARGV[2])) end
end
redis.call('LPUSH', KEYS[1], now)
redis.call('LTRIM', KEYS[1], 0, ARGV[1] - 1)
redis.call('PEXPIRE', KEYS[1], ARGV[2] * 2)
return 0`;

// A longer stop is not made shorter.
const STOP = `
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], 1, 'PX', ARGV[1]) end`;

const COUNT_INVALID = `
if redis.call('INCR', KEYS[1]) == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end`;

/** The admission of an archive, kept in Redis; `namespace` is the database's name. */
export function createAdmission(redis: Redis, namespace: string): Admission {
  const [sent, stopped, invalid] = ['sent', 'stopped', 'invalid'].map(
    (name) => `${namespace}:platform:${name}`,
  ) as [string, string, string];
  return {
    async ask() {
      const limits = [MOST_REQUESTS, WITHIN_MS, MOST_INVALID];
      return (await redis.eval(ASK, 3, sent, stopped, invalid, ...limits)) as number;
    },
    async stop(ms) {
      await redis.eval(STOP, 1, stopped, Math.ceil(ms));
    },
    async countInvalid() {
      await redis.eval(COUNT_INVALID, 1, invalid, INVALID_WITHIN_MS);
    },
  };
}
