import type { IndexerDeps } from '../../../services/indexer/deps.js';
import type { DiscordDouble } from '../../support/discord/types.js';
import { readBody } from '../../support/readBody.js';
import type { Random } from '../random.js';

/** The role by which people opt out. */
export const OPT_OUT_ROLE = 'no archive';
/** Words that only people who are left out say. */
export const QUIET_WORDS = 'not for the archive';
/** The text of messages to one person alone. */
export const WHISPER = 'For you alone';

/** Members of a server who have the opt-out role as long as they are there. */
export interface QuietPeople {
  readonly userIds: ReadonlySet<string>;
  /** Lets one of them, or a new one, write in public or to one person alone. Returns what happened. */
  speak(random: Random): string;
}

/** Makes the role, and a person who has it from the beginning and writes. */
export function addQuietPeople({ model }: DiscordDouble): QuietPeople {
  const place = model.publicThreads().find(({ thread }) => !thread.isLocked)!;
  const { id: guildId } = place.guild;
  const role = model.createRole(guildId, { name: OPT_OUT_ROLE });
  const userIds = new Set<string>();
  const add = (): string => {
    const { id } = model.createUser({ username: `quiet${userIds.size}` });
    userIds.add(id);
    model.addMember(guildId, id, { roleIds: [role.id] });
    return id;
  };
  // They must not leave, nor may their roles change. But operations choose among all members.
  const updateMember = model.updateMember.bind(model);
  const removeMember = model.removeMember.bind(model);
  model.removeMember = (guild, userId) => {
    if (!userIds.has(userId)) removeMember(guild, userId);
  };
  model.updateMember = (guild, userId, values) =>
    updateMember(guild, userId, userIds.has(userId) ? { ...values, roleIds: [role.id] } : values);
  const first = add();
  model.createThread(place.channel.id, {
    name: 'Quiet',
    ownerId: first,
    starter: { content: `This is ${QUIET_WORDS}` },
  });
  model.post(place.thread.id, { authorId: first, content: `Neither is this: ${QUIET_WORDS}` });
  return {
    userIds,
    speak(random) {
      const open = model.publicThreads().filter(({ thread }) => !thread.isArchived);
      if (open.length === 0) return 'silence';
      const { thread } = random.pick(open);
      const what = random.pick(['newcomer', 'quiet', 'whisper']);
      if (what === 'whisper') model.postEphemeral(thread.id, { authorId: first, content: WHISPER });
      else {
        const authorId = what === 'newcomer' ? add() : random.pick([...userIds]);
        model.post(thread.id, { authorId, content: `${what}: ${QUIET_WORDS}` });
      }
      return what;
    },
  };
}

/**
 * The threads whose bodies show words of quiet people. Copies of messages that others forward are no exception. But of a
 * copy whose original is gone, the archive may never have learned who wrote it.
 */
export async function quietWordsShown(
  { collections }: IndexerDeps,
  { model }: DiscordDouble,
): Promise<string[]> {
  const shown: string[] = [];
  for (const { thread, messages } of model.publicThreads()) {
    const copies = messages.filter(({ snapshot }) => snapshot?.content.includes(QUIET_WORDS));
    if (copies.some(({ reference }) => !model.threads.has(reference!.channelId))) continue;
    const body = await readBody(collections, `thread/${thread.id}`);
    if (JSON.stringify(body).includes(QUIET_WORDS)) shown.push(thread.id);
  }
  return shown.map((id) => `The body of ${id} shows words of somebody who is left out`);
}
