import { createRequire } from 'node:module';
import type * as Driver from 'ioredis';

const driver = createRequire(import.meta.url)('ioredis') as typeof Driver;

/**
 * Redis's client by `require`. An `import` first reads its modules for what they export: nearly 0.1 s of processor time
 * at every start.
 */
export const { Redis } = driver;
export type Redis = Driver.Redis;

/** The error with which Redis refuses a command. */
export const ReplyError = driver.ReplyError as ErrorConstructor;
