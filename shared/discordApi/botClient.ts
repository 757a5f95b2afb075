import type { Redis } from 'ioredis';
import { publicUrlOf, type Settings } from '../platform/env.js';
import { createAdmission } from './admission.js';
import {
  createPlatformClient,
  type PlatformClient,
  type PlatformClientOptions,
} from './platformClient.js';

/** The settings that name a bot. */
export type BotSettings = Pick<
  Settings,
  'PORT' | 'PUBLIC_URL' | 'DISCORD_BOT_TOKEN' | 'DISCORD_API_URL'
>;

/**
 * The client of the bot that the settings name; null without a token. All processes of an archive share its limits,
 * which are kept in a Redis that evicts nothing.
 */
export function createBotClient(
  settings: BotSettings,
  {
    redis,
    namespace,
    ...asked
  }: { redis: Redis; namespace: string } & Pick<
    PlatformClientOptions,
    'now' | 'onAsked' | 'onHeld'
  >,
): PlatformClient | null {
  const { DISCORD_BOT_TOKEN: token, DISCORD_API_URL: url } = settings;
  if (token === undefined) return null;
  return createPlatformClient({
    url,
    token,
    publicUrl: publicUrlOf(settings),
    ...asked,
    admission: createAdmission(redis, namespace),
  });
}
