import { ChannelType } from 'discord-api-types/v10';
import type { Random } from '../../test/faults/random.js';
import type { Message, Thread } from '../../test/support/discord/model/entities.js';
import type { DiscordModel } from '../../test/support/discord/model/model.js';
import { textOf, zipf } from '../archive/words.js';

/** So many words have about 200 characters, as messages of real forums do. */
const WORDS_OF_MESSAGE = 33;
const WORDS_OF_TITLE = 6;
const PEOPLE = 200;
const STEP_MS = 60_000;

/** A server, the threads in it, and the people who talk there. */
export interface Community {
  guildId: string;
  threads: Thread[];
  people: string[];
}

/** Makes a server with one forum, and a thread for each number of messages. */
export function addCommunity(
  model: DiscordModel,
  random: Random,
  { name, sizes }: { name: string; sizes: readonly number[] },
): Community {
  const text = texts(random);
  const guild = model.createGuild({ name });
  const people = Array.from({ length: PEOPLE }, (_, n) => {
    const { id } = model.createUser({ username: `${name.toLowerCase()}.${n}` });
    model.addMember(guild.id, id);
    return id;
  });
  const forum = model.createChannel(guild.id, { type: ChannelType.GuildForum, name: 'help' });
  const tag = model.createTag(forum.id, { name: 'Question' });
  const threads = sizes.map((size, number) => {
    const at = model.clock.now() - (size + 2) * STEP_MS - number;
    const thread = model.createThread(forum.id, {
      at,
      name: text(WORDS_OF_TITLE),
      ownerId: random.pick(people),
      appliedTagIds: [tag.id],
      starter: { content: text(WORDS_OF_MESSAGE) },
    });
    for (let count = 1; count < size; count += 1) {
      const content = text(WORDS_OF_MESSAGE);
      model.post(thread.id, {
        authorId: random.pick(people),
        content,
        at: at + count * STEP_MS,
      });
    }
    return thread;
  });
  return { guildId: guild.id, threads, people };
}

/** Does what people do, at random. Mostly they write. */
export function actAtRandom(
  model: DiscordModel,
  random: Random,
  { threads, people }: Community,
  text: (words: number) => string,
): void {
  const thread = random.pick(threads);
  const chance = random.below(100);
  const message = (): Message => random.pick([...model.messagesOf(thread.id).slice(-20)]);
  model.clock.advanceTo(Date.now());
  if (chance < 60) {
    model.post(thread.id, { authorId: random.pick(people), content: text(WORDS_OF_MESSAGE) });
  } else if (chance < 80) {
    model.react(thread.id, message().id, random.pick(people), { id: null, name: '👍' });
  } else if (chance < 92) {
    model.edit(thread.id, message().id, { content: text(WORDS_OF_MESSAGE) });
  } else if (chance < 97 && model.messagesOf(thread.id).length > 2) {
    model.deleteMessage(thread.id, message().id);
  } else {
    model.updateThread(thread.id, { name: text(WORDS_OF_TITLE) });
  }
}

/** Makes texts of so many words. The words follow a natural distribution. */
export function texts(random: Random): (words: number) => string {
  const rank = zipf(random);
  return (words) => textOf(Array.from({ length: words }, rank));
}
