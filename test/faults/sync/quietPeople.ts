import type { IndexerDeps } from '../../../services/indexer/deps.js';
import type { OptOutRecord } from '../../../shared/store/optOutRecord.js';
import { memberId } from '../../../shared/store/optOuts.js';
import type { Guild, Role } from '../../support/discord/model/entities.js';
import type { DiscordDouble } from '../../support/discord/types.js';
import { readBody } from '../../support/readBody.js';
import type { Random } from '../random.js';
import { OPT_OUT_ROLE, optOutRoles } from './optOutRoles.js';

/** The text of messages to one person alone. */
export const WHISPER = 'For you alone';

/** People who must not be shown, because they have an opt-out role, or had one until it was deleted. */
export interface QuietPeople {
  /** The server that they are on. */
  readonly guild: Guild;
  /** The ids of those who must not be shown at the moment. */
  readonly userIds: ReadonlySet<string>;
  /** Whether somebody has been one of them. */
  has(userId: string): boolean;
  /** A text that only this person says. */
  wordsOf(userId: string): string;
  /**
   * Lets one of them, or a new one, write in public or to one person alone. A new one carries none of the `uncounted`
   * roles. Returns what happened.
   */
  speak(random: Random, uncounted: ReadonlySet<string>): string;
  /**
   * Is to be called after roles have changed. Somebody without an opt-out role must not be shown only while the archive
   * leaves them out, and had been told of roles that are deleted now, or while no role has the name any more. All others
   * may be shown from now on. `records` are those of the archive, from before the change.
   */
  judge(records: readonly OptOutRecord[]): void;
  /** Lets the roles of a person change, who may leave, too. They must not be shown because of something else. */
  free(userId: string): void;
}

/** Makes the role, and a person who has it from the beginning and writes. */
export function addQuietPeople({ model }: DiscordDouble): QuietPeople {
  const place = model.publicThreads().find(({ thread }) => !thread.isLocked)!;
  const { guild } = place;
  const userIds = new Set<string>();
  const all: string[] = [];
  const wordsOf = (userId: string): string => `not for the archive, says ${all.indexOf(userId)}.`;
  const add = (role: Role): string => {
    const { id } = model.createUser({ username: `quiet${all.length}` });
    all.push(id);
    userIds.add(id);
    model.addMember(guild.id, id, { roleIds: [role.id] });
    return id;
  };
  // They must not leave, nor may their roles change. But operations choose among all members.
  const updateMember = model.updateMember.bind(model);
  const removeMember = model.removeMember.bind(model);
  const addMember = model.addMember.bind(model);
  // On another server, they would not be left out.
  model.addMember = (guildId, userId, values) => {
    const known = userIds.has(userId) && guild.members.get(userId);
    return known || addMember(guildId, userId, values);
  };
  model.removeMember = (guildId, userId) => {
    if (!userIds.has(userId)) removeMember(guildId, userId);
  };
  model.updateMember = (guildId, userId, values) => {
    if (!userIds.has(userId)) return updateMember(guildId, userId, values);
    const { roleIds } = guild.members.get(userId)!;
    return updateMember(guildId, userId, { ...values, roleIds });
  };
  const first = add(model.createRole(guild.id, { name: OPT_OUT_ROLE }));
  model.createThread(place.channel.id, {
    name: 'Quiet',
    ownerId: first,
    starter: { content: `This is ${wordsOf(first)}` },
  });
  model.post(place.thread.id, { authorId: first, content: `Neither is this: ${wordsOf(first)}` });
  return {
    guild,
    userIds,
    has: (userId) => all.includes(userId),
    wordsOf,
    speak(random, uncounted) {
      const open = model
        .publicThreads()
        .filter((one) => one.guild.id === guild.id && !one.thread.isArchived);
      if (open.length === 0) return 'silence';
      const { thread } = random.pick(open);
      const what = random.pick(['newcomer', 'quiet', 'whisper']);
      if (what === 'whisper') {
        model.postEphemeral(thread.id, { authorId: first, content: WHISPER });
        return what;
      }
      const role = optOutRoles(guild).find(({ id }) => !uncounted.has(id));
      const known = random.pick<string | undefined>([...userIds]);
      const authorId = what === 'newcomer' && role ? add(role) : known;
      if (authorId === undefined) return 'silence';
      model.post(thread.id, { authorId, content: `${what}: ${wordsOf(authorId)}` });
      return what;
    },
    judge(records) {
      const named = new Set(optOutRoles(guild).map(({ id }) => id));
      for (const userId of [...userIds]) {
        if (guild.members.get(userId)!.roleIds.some((id) => named.has(id))) continue;
        const record = records.find(({ _id }) => _id === memberId(guild.id, userId));
        const areDeleted = record?.roleIds?.every((id) => !guild.roles.has(id));
        if (!record || (named.size > 0 && !areDeleted)) userIds.delete(userId);
      }
    },
    free: (userId) => void userIds.delete(userId),
  };
}

/**
 * The threads whose bodies show some words. Copies of messages that others forward are no exception. But of a copy whose
 * original was written in a thread that the archive never had, nobody knows the author.
 */
export async function threadsShowing(
  { collections }: IndexerDeps,
  { model }: DiscordDouble,
  words: readonly string[],
): Promise<string[]> {
  const shown: string[] = [];
  const isThere = (text: string): boolean => words.some((one) => text.includes(one));
  for (const { thread, messages } of model.publicThreads()) {
    const copies = messages.filter(({ snapshot }) => snapshot && isThere(snapshot.content));
    const from = new Set(copies.map(({ reference }) => reference!.channelId));
    const known = await collections.threads.countDocuments({ _id: { $in: [...from] } });
    if (known < from.size) continue;
    const body = await readBody(collections, `thread/${thread.id}`);
    if (isThere(JSON.stringify(body))) shown.push(thread.id);
  }
  return shown.map((id) => `The body of ${id} shows words of somebody who is not to be shown`);
}
