import { PermissionFlagsBits } from 'discord-api-types/v10';
import type { Channel, Guild, Thread } from '../model/entities.js';
import type { Viewer } from '../present/presentMessage.js';
import { microsOfIso } from '../present/times.js';
import type { Settings } from '../settings.js';
import {
  invalidForm,
  missingAccess,
  RestError,
  unknownChannel,
  unknownGuild,
} from './restError.js';

/** What a handler gets. */
export interface Call extends Viewer {
  settings: Settings;
  /** The ids in the path. */
  ids: readonly string[];
  query: URLSearchParams;
  /** The JSON of the request, if any. */
  body: unknown;
  gatewayUrl: string;
  identifiesLeft: () => number;
}

/** Returns the body of the answer, or throws a RestError. */
export type Handler = (call: Call) => unknown;

/** The guild in the path. The bot has to be in it. */
export function guildOf({ model, ids }: Call): Guild {
  const guild = model.guilds.get(ids[0]!);
  if (!guild) throw unknownGuild();
  if (!guild.members.has(model.bot.id)) throw missingAccess();
  if (guild.isUnavailable) throw new RestError(503, 0, 'Service Unavailable');
  return guild;
}

/** The channel or thread in the path. The bot has to be able to see it. */
export function placeOf({ model, ids }: Call): Channel | Thread {
  const place = model.threads.get(ids[0]!) ?? model.channels.get(ids[0]!);
  if (!place) throw unknownChannel();
  if (!(model.permissionsOf(model.bot.id, place.id) & PermissionFlagsBits.ViewChannel)) {
    throw missingAccess();
  }
  if (model.guilds.get(place.guildId)?.isUnavailable) {
    throw new RestError(503, 0, 'Service Unavailable');
  }
  return place;
}

/** Whether the bot may read the history of a channel or thread. */
export function readsHistory({ model }: Call, channelId: string): boolean {
  const permissions = model.permissionsOf(model.bot.id, channelId);
  return (permissions & PermissionFlagsBits.ReadMessageHistory) !== 0n;
}

/** A whole number in the query, within limits. */
export function numberOf(
  { query }: Call,
  name: string,
  { least, most, usual }: { least: number; most: number; usual: number },
): number {
  const text = query.get(name);
  if (text === null) return usual;
  if (!/^-?\d+$/.test(text)) {
    throw invalidForm(name, 'NUMBER_TYPE_COERCE', `Value "${text}" is not int.`);
  }
  const message = `int value should be between ${least} and ${most}.`;
  if (Number(text) < least) throw invalidForm(name, 'NUMBER_TYPE_MIN', message);
  if (Number(text) > most) throw invalidForm(name, 'NUMBER_TYPE_MAX', message);
  return Number(text);
}

/** An id in the query. */
export function idOf({ query }: Call, name: string): string | undefined {
  const text = query.get(name) ?? undefined;
  if (text !== undefined && !/^(0|[1-9]\d{0,19})$/.test(text)) {
    throw invalidForm(name, 'NUMBER_TYPE_COERCE', `Value "${text}" is not snowflake.`);
  }
  return text;
}

/** A moment in the query (µs). */
export function momentOf({ query }: Call, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const micros = microsOfIso(text);
  if (micros === null) {
    const message = `Could not parse ${text}. Should be ISO8601.`;
    throw invalidForm(name, 'DATE_TIME_TYPE_PARSE', message);
  }
  return micros;
}
