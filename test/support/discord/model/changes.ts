import type { Channel, Emoji, Guild, Member, Message, Poll, Role, Thread } from './entities.js';

/** A change that an operation has made. Listeners are told of it at once. */
export type Change =
  | { kind: 'guildCreated' | 'guildUpdated' | 'guildDeleted' | 'guildAvailability'; guild: Guild }
  | { kind: 'roleCreated' | 'roleUpdated' | 'roleDeleted'; guild: Guild; role: Role }
  | { kind: 'memberAdded' | 'memberUpdated' | 'memberRemoved'; guild: Guild; member: Member }
  | { kind: 'channelCreated' | 'channelUpdated' | 'channelDeleted'; channel: Channel }
  | { kind: 'threadCreated'; thread: Thread; starter: Message | null }
  | { kind: 'threadUpdated' | 'threadDeleted'; thread: Thread }
  | { kind: 'messageCreated' | 'messageUpdated' | 'messageDeleted'; message: Message }
  | { kind: 'messagesDeleted'; channelId: string; guildId: string; ids: string[] }
  | { kind: 'pinsChanged'; channelId: string; guildId: string; lastPinAt: number | null }
  | { kind: 'reactionAdded' | 'reactionRemoved'; message: Message; userId: string; emoji: Emoji }
  | { kind: 'reactionsCleared'; message: Message; emoji: Emoji | null }
  | { kind: 'voted'; message: Message; poll: Poll; userId: string; answerId: number }
  | { kind: 'ephemeral'; message: Message };

/** The id of the guild in which something changed. */
export function guildIdOf(change: Change): string {
  if ('guild' in change) return change.guild.id;
  if ('channel' in change) return change.channel.guildId;
  if ('thread' in change) return change.thread.guildId;
  return 'message' in change ? change.message.guildId : change.guildId;
}
