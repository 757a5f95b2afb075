import type { GatewayDispatchEvents as Event, GatewayDispatchPayload } from 'discord-api-types/v10';
import type { Change } from '../model/changes.js';
import type { Viewer } from '../present/presentMessage.js';
import type { Access } from './access.js';

/** An event, which goes to clients with one of its intents; 0 means all clients. */
export interface Outgoing {
  intent: number;
  t: Event;
  d: unknown;
}

/** Who gets the events of a change. */
export interface Audience extends Viewer {
  access: Access;
  /** Whether the first message of a post is told before its thread. */
  starterFirst: boolean;
}

/** The type of an event's data. */
export type DataOf<T extends Event> = Extract<GatewayDispatchPayload, { t: T }>['d'];

/** Makes an event with data of its type. */
export function event<T extends Event>(t: T, intent: number, d: DataOf<T>): Outgoing {
  return { t, intent, d };
}

/** A change of some kinds. */
export type ChangeOf<Kind extends Change['kind']> = Extract<Change, { kind: Kind }>;

/** Whether the bot may see a channel. */
export function isSeen({ access }: Audience, channelId: string): boolean {
  return access.has(channelId);
}
