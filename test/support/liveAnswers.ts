import type { LiveMessage, LiveThread, LiveUser } from '../../shared/discordApi/answerTypes.js';
import { anId } from './factories.js';

/** An account in the platform's form. */
export function aLiveUser(more: Partial<LiveUser> = {}): LiveUser {
  return {
    id: anId(),
    username: 'ada',
    global_name: 'Ada',
    avatar: null,
    discriminator: '0',
    ...more,
  };
}

/** A message in the form of the platform's history. */
export function aLiveMessage(more: Partial<LiveMessage> = {}): LiveMessage {
  return {
    id: anId(),
    channel_id: anId(),
    type: 0,
    content: 'Hello',
    flags: 0,
    pinned: false,
    author: aLiveUser(),
    timestamp: '2026-01-01T00:00:01.000000+00:00',
    edited_timestamp: null,
    attachments: [],
    embeds: [],
    mentions: [],
    mention_roles: [],
    components: [],
    ...more,
  };
}

/** The first messages of a post, oldest first. The id of the first one is the id of the post. */
export function aLivePost(messages: number, more: Partial<LiveMessage> = {}): LiveMessage[] {
  const id = anId();
  return Array.from({ length: messages }, (_, n) =>
    aLiveMessage({ ...(n === 0 && { id }), channel_id: id, ...more }),
  );
}

/** A post of a forum in the platform's form. */
export function aLiveThread(more: Partial<LiveThread> = {}): LiveThread {
  const id = anId();
  return {
    id,
    type: 11,
    guild_id: anId(),
    parent_id: anId(),
    name: 'How do I start?',
    owner_id: anId(),
    applied_tags: [],
    flags: 0,
    last_message_id: id,
    message_count: 0,
    total_message_sent: 0,
    thread_metadata: {
      archived: false,
      archive_timestamp: '2026-01-01T00:00:01.000000+00:00',
      locked: false,
    },
    ...more,
  };
}
