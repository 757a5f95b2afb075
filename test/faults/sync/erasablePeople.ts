import type { DiscordDouble } from '../../support/discord/types.js';
import type { Random } from '../random.js';
import { optOutRoles } from './optOutRoles.js';

/** People whose words can be told from those of all others, and who go on when they are erased. */
export interface ErasablePeople {
  readonly userIds: readonly string[];
  /** A text that only this person says. */
  wordsOf(userId: string): string;
  /** Lets one of them write. Returns what happened. */
  speak(random: Random): string;
  /** Lets somebody who was erased do something, or lets others name them. Returns what happened. */
  goOn(random: Random, userId: string): string;
}

const MOST = 3;

/** Makes the people, who are members of all servers and write. */
export function addErasablePeople({ model }: DiscordDouble): ErasablePeople {
  const places = model.publicThreads();
  const { guild } = places[0]!;
  const userIds = Array.from({ length: MOST }, (_, n) => {
    const { id } = model.createUser({ username: `erasable${n}`, globalName: `Erasable ${n}` });
    for (const guildId of model.guilds.keys()) model.addMember(guildId, id);
    return id;
  });
  const wordsOf = (userId: string): string => `words of nr ${userIds.indexOf(userId)} alone`;
  const openThreads = () => model.publicThreads().filter(({ thread }) => !thread.isArchived);
  const write = (random: Random, userId: string): string => {
    const open = openThreads();
    if (open.length === 0) return 'silence';
    const place = random.pick(open);
    const content = userIds.includes(userId) ? wordsOf(userId) : 'Somebody who was erased';
    if (random.chance(0.3)) {
      model.createThread(place.channel.id, {
        name: 'A thread',
        ownerId: userId,
        starter: { content },
      });
      return 'erasable: thread';
    }
    model.post(place.thread.id, { authorId: userId, content });
    return 'erasable: post';
  };
  for (const userId of userIds) {
    const open = openThreads()[0];
    if (open) model.post(open.thread.id, { authorId: userId, content: wordsOf(userId) });
  }
  const acts: Record<string, (random: Random, userId: string) => void> = {
    write,
    leave: (_random, userId) => model.removeMember(guild.id, userId),
    named(random, userId) {
      const open = openThreads();
      if (open.length === 0) return;
      const { thread } = random.pick(open);
      const content = `Where is <@${userId}>?`;
      model.post(thread.id, { authorId: thread.ownerId, content, mentionIds: [userId] });
    },
    forwarded(random, userId) {
      const open = openThreads();
      const said = model
        .publicThreads()
        .flatMap(({ messages }) =>
          messages.filter(({ authorId, type }) => authorId === userId && type === 0),
        );
      if (open.length === 0 || said.length === 0) return;
      const { thread } = random.pick(open);
      model.forward(random.pick(said), thread.id, thread.ownerId);
    },
    edit(random, userId) {
      const said = openThreads().flatMap(({ thread, messages }) =>
        messages
          .filter((one) => one.authorId === userId && one.type === 0)
          .map(({ id }) => [thread.id, id] as const),
      );
      if (said.length === 0) return;
      const [threadId, id] = random.pick(said);
      const content = userIds.includes(userId) ? `${wordsOf(userId)} (edited)` : 'Edited';
      model.edit(threadId, id, { content });
    },
    react(random, userId) {
      const said = openThreads().flatMap(({ messages }) => messages);
      if (said.length === 0) return;
      const { channelId, id } = random.pick(said);
      model.react(channelId, id, userId, { id: null, name: '👍' });
    },
    nickname: (random, userId) =>
      void model.updateMember(guild.id, userId, { nick: `Nick ${random.below(1000)}` }),
    'opt out'(_random, userId) {
      const [role] = optOutRoles(guild);
      if (role) model.updateMember(guild.id, userId, { roleIds: [role.id] });
    },
    'opt in': (_random, userId) => void model.updateMember(guild.id, userId, { roleIds: [] }),
  };
  return {
    userIds,
    wordsOf,
    speak: (random) => write(random, random.pick(userIds)),
    goOn(random, userId) {
      const name = random.pick(Object.keys(acts));
      if (!guild.members.has(userId)) {
        model.addMember(guild.id, userId);
        return 'erased: join again';
      }
      if (userId === guild.ownerId && name === 'leave') return 'erased: stay';
      acts[name]!(random, userId);
      return `erased: ${name}`;
    },
  };
}
