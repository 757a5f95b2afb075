import { compareIds } from '../../../../services/indexer/views/tallyPeople.js';
import type { Change } from './changes.js';
import type { Channel, Guild, Message, Thread, User } from './entities.js';
import type { Clock } from './model.js';

/** The messages of one thread or text channel. */
export interface MessageList {
  /** Oldest first. */
  ordered: Message[];
  byId: Map<string, Message>;
}

/** Everything that operations change. */
export interface State {
  clock: Clock;
  newId(at?: number): string;
  bot: User;
  users: Map<string, User>;
  guilds: Map<string, Guild>;
  channels: Map<string, Channel>;
  threads: Map<string, Thread>;
  messages: Map<string, MessageList>;
  emit(change: Change): void;
}

/** An entry of a map. Throws an error that names it where it is missing. */
export function need<T>(map: ReadonlyMap<string, T>, id: string, what: string): T {
  const found = map.get(id);
  if (found === undefined) throw new Error(`No ${what} ${id}`);
  return found;
}

/** A message. Throws where it is missing. */
export function needMessage(state: State, channelId: string, messageId: string): Message {
  return need(need(state.messages, channelId, 'channel of messages').byId, messageId, 'message');
}

/** Adds a message to its list, which is sorted by id. */
export function insertMessage(list: MessageList, message: Message): void {
  let index = list.ordered.length;
  while (index > 0 && compareIds(list.ordered[index - 1]!.id, message.id) > 0) index -= 1;
  list.ordered.splice(index, 0, message);
  list.byId.set(message.id, message);
}

/** The index of the first entry whose id is not below `id`, in a list sorted by id. */
export function lowerBound(ordered: readonly { id: string }[], id: string): number {
  let low = 0;
  let high = ordered.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareIds(ordered[middle]!.id, id) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A moment of the clock in microseconds. The platform's times are finer than its ids. */
export function microsOf(ms: number): number {
  return ms * 1000 + ((ms * 7_919) % 1000);
}
