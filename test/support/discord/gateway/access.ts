import { PermissionFlagsBits } from 'discord-api-types/v10';
import type { Channel } from '../model/entities.js';
import type { DiscordModel } from '../model/model.js';

/** The channels that the bot may see. */
export interface Access {
  has(channelId: string): boolean;
}

/** What a change of permissions let the bot see, and what it took from it. */
export interface AccessChange {
  gained: Channel[];
  lost: Channel[];
}

/** Knows which channels the bot may see, and tells after each change how that differs. */
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
