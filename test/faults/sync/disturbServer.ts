import type { Guild } from '../../support/discord/model/entities.js';
import type { DiscordModel } from '../../support/discord/model/model.js';
import type { Random } from '../random.js';

/**
 * Begins or ends a time in which the bot hears nothing of a server and can ask for nothing: an outage of the server, or
 * the bot was removed from it. Returns what happened.
 */
export function disturbServer(model: DiscordModel, random: Random): string {
  if (endAbsences(model)) return 'server back';
  const guild = random.pick([...model.guilds.values()]);
  const what = random.pick(['outage', 'bot removed']);
  if (what === 'outage') model.setUnavailable(guild.id, true);
  else model.dismissBot(guild.id);
  return what;
}

/** Ends all outages, and lets the bot back in. Returns whether there was any such thing. */
export function endAbsences(model: DiscordModel): boolean {
  const away = [...model.guilds.values()].filter((guild) => isAway(model, guild));
  for (const { id, isUnavailable } of away) {
    if (isUnavailable) model.setUnavailable(id, false);
    else model.inviteBot(id);
  }
  return away.length > 0;
}

function isAway({ bot }: DiscordModel, { isUnavailable, members }: Guild): boolean {
  return isUnavailable || !members.has(bot.id);
}
