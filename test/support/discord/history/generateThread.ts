import type { Random } from '../../../faults/random.js';
import type { Channel, Emoji, Message, Thread, User } from '../model/entities.js';
import type { DiscordModel } from '../model/model.js';
import { aMessage, type Scene } from './messageKinds.js';
import { aText, aTitle } from './words.js';

const MINUTE = 60_000;
const EMOJI: Emoji[] = [
  { id: null, name: '👍' },
  { id: null, name: '🎉' },
  { id: '310000000000000001', name: 'sad' },
  { id: '310000000000000002', name: 'party', isAnimated: true },
];

/** Where and when a thread is created. */
export interface ThreadPlan {
  forum: Channel;
  people: readonly User[];
  /** Milliseconds since the epoch. */
  at: number;
  /** The number of messages besides the starter. */
  messages: number;
  elsewhere: Message | undefined;
}

/** Generates a post with a discussion, which has edits, reactions, pins and deletions. */
export function generateThread(model: DiscordModel, random: Random, plan: ThreadPlan): Thread {
  const { forum, people, at } = plan;
  const thread = model.createThread(forum.id, {
    at,
    name: aTitle(random),
    ownerId: random.pick(people).id,
    starter: { content: aText(random) },
    appliedTagIds: random
      .shuffle(forum.tags)
      .slice(0, random.below(3))
      .map(({ id }) => id),
    autoArchiveMinutes: random.pick([60, 1440, 4320, 10080] as const),
  });
  const end = model.clock.now() - MINUTE;
  const step = Math.min(60 * MINUTE, Math.floor((end - at) / (plan.messages + 2)));
  let time = at;
  for (let count = 0; count < plan.messages; count += 1) {
    time += 1 + random.below(step);
    if (plan.elsewhere && random.chance(0.04)) {
      model.forward(plan.elsewhere, thread.id, random.pick(people).id, { at: time });
    } else {
      const earlier = model.messagesOf(thread.id);
      const { guildId } = forum;
      const scene: Scene = {
        random,
        people,
        bot: model.bot,
        guildId,
        earlier,
        elsewhere: plan.elsewhere,
      };
      model.post(thread.id, { ...aMessage(scene), at: time });
    }
  }
  touch(model, random, thread, people);
  return thread;
}

/** Changes messages after they were posted. */
function touch(
  model: DiscordModel,
  random: Random,
  { id: threadId }: Thread,
  people: readonly User[],
): void {
  for (const message of [...model.messagesOf(threadId)]) {
    const chance = random.below(40);
    if (message.poll && chance < 20) model.vote(threadId, message.id, random.pick(people).id, 1);
    if (chance < 4) {
      const emoji = random.pick(EMOJI);
      for (const { id } of random.shuffle(people).slice(0, 1 + random.below(3))) {
        model.react(threadId, message.id, id, emoji);
      }
    }
    if (chance === 4 && message.type === 0) {
      model.edit(threadId, message.id, { content: `${message.content} (edited)` });
    }
    if (chance === 5) model.deleteMessage(threadId, message.id);
  }
}
