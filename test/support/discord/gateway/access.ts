import { PermissionFlagsBits } from 'discord-api-types/v10';
import type { Channel } from '../model/entities.js';
import type { DiscordModel } from '../model/model.js';

/** Which channels the bot may see. */
export interface Access {
  has(channelId: string): boolean;
}

/** What a change of permissions has shown to the bot, and what it has hidden from it. */
export interface AccessChange {
  gained: Channel[];
  lost: Channel[];
}

/** Tracks which channels the bot may see. After each change, `follow` tells the difference. */
export function createAccess(model: DiscordModel): Access & { follow(): AccessChange } {
  const look = (): Map<string, Channel> =>
    new Map([...model.channels].filter(([id]) => isVisible(model, id)));
  let seen = look();
  return {
    has: (channelId) => seen.has(channelId),

    follow() {
      const [before, now] = [seen, look()];
      seen = now;
      return {
        gained: [...now.values()].filter(({ id }) => !before.has(id)),
        lost: [...before.values()].filter(({ id }) => !now.has(id)),
      };
    },
  };
}

function isVisible(model: DiscordModel, channelId: string): boolean {
  return (model.permissionsOf(model.bot.id, channelId) & PermissionFlagsBits.ViewChannel) !== 0n;
}
