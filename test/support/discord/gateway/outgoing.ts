import type { GatewayDispatchEvents as Event, GatewayDispatchPayload } from 'discord-api-types/v10';
import type { Change } from '../model/changes.js';
import type { Viewer } from '../present/presentMessage.js';
import type { Access } from './access.js';

/** An event that is to be sent to whoever has one of its intents; 0 is for all. */
export interface Outgoing {
  intent: number;
  t: Event;
  d: unknown;
}

/** To whom the events of a change are told. */
export interface Audience extends Viewer {
  access: Access;
  /** Whether a post's first message is told before its thread. */
  starterFirst: boolean;
}

/** The data of an event. */
export type DataOf<T extends Event> = Extract<GatewayDispatchPayload, { t: T }>['d'];

/** An event whose data is of its type. */
export function event<T extends Event>(t: T, intent: number, d: DataOf<T>): Outgoing {
  return { t, intent, d };
}

/** A change of some kinds. */
export type ChangeOf<Kind extends Change['kind']> = Extract<Change, { kind: Kind }>;

/** Whether the bot may see a channel. */
export function isSeen({ access }: Audience, channelId: string): boolean {
  return access.has(channelId);
}
