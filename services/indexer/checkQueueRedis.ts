import type { Redis } from 'ioredis';
import { OLDEST_REDIS } from '../../shared/drivers/bullmq.js';
import { ReplyError } from '../../shared/drivers/ioredis.js';
import type { Logger } from '../../shared/platform/logger.js';
import { WrongStoreError } from './wrongStoreError.js';

/**
 * Checks the version and the policy of the queue's Redis. Throws WrongStoreError where it is too old. Throws it also
 * where Redis evicts keys when its memory is full, because jobs are keys (BullMQ, "Going to production"). Logs a
 * warning where Redis does not tell its settings, as in managed services.
 */
export async function checkQueueRedis(redis: Redis, logger: Logger): Promise<void> {
  const version = await readVersion(redis);
  if (version.localeCompare(OLDEST_REDIS, 'en', { numeric: true }) < 0) {
    throw new WrongStoreError(
      `Redis at REDIS_URL has version ${version}: at least ${OLDEST_REDIS} is needed`,
    );
  }
  const policy = await readPolicy(redis);
  if (policy === null) {
    logger.warn('Redis does not tell its maxmemory-policy: it must be noeviction');
  } else if (policy !== 'noeviction') {
    throw new WrongStoreError(
      `Redis at REDIS_URL has maxmemory-policy ${policy}, so it may throw jobs away: set it to noeviction`,
    );
  }
}

/** The version of the server. Valkey tells the version of Redis that it is compatible with. */
async function readVersion(redis: Redis): Promise<string> {
  const [, version = OLDEST_REDIS] = /^redis_version:(\S+)/m.exec(await redis.info('server')) ?? [];
  return version;
}

/** Resolves with the policy for a full memory; with null where the server does not tell it. */
async function readPolicy(redis: Redis): Promise<string | null> {
  try {
    const [, policy] = await redis.config('GET', 'maxmemory-policy');
    return policy ?? null;
  } catch (error) {
    if (isUntold(error)) return null;
    throw error;
  }
}

/**
 * Whether the server refuses CONFIG itself. It may lack the command (ERR, in words of its own), or this user may not
 * use it (NOPERM). A wrong password is no such refusal: then every command fails with the answer to the first command
 * of the connection.
 */
function isUntold(error: unknown): boolean {
  if (!(error instanceof ReplyError)) return false;
  const { command } = error as { command?: { name: string } };
  return command?.name === 'config' && /^(ERR|NOPERM) /.test(error.message);
}
