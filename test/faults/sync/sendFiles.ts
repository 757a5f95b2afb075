import { anAvatar } from '../../support/discord/history/people.js';
import type { DiscordModel } from '../../support/discord/model/model.js';
import type { Random } from '../random.js';

const MOST_FILES = 3;
/** More bytes than a file may have that is copied. */
const TOO_LARGE = 1_500_000;

/**
 * Lets a member send files, some of which are too large or soon lost, or gives the server or a member another picture.
 * Returns what happened.
 */
export function sendFiles(
  model: DiscordModel,
  random: Random,
  by: readonly string[] = [...model.users.keys()],
): string {
  const open = model.publicThreads().filter(({ thread }) => !thread.isArchived);
  if (open.length === 0) return 'silence';
  const { guild, thread } = random.pick(open);
  if (random.chance(0.1)) {
    model.updateGuild(guild.id, { icon: anAvatar(random) });
    return 'files: icon';
  }
  const senders = [...guild.members.values()].filter(
    ({ user }) => !user.isBot && by.includes(user.id),
  );
  if (senders.length === 0) return 'silence';
  const authorId = random.pick(senders).user.id;
  if (random.chance(0.3)) {
    for (let left = 1 + random.below(3); left > 0; left -= 1)
      model.updateUser(authorId, { avatar: random.chance(0.8) ? anAvatar(random) : null });
    return 'files: avatar';
  }
  const attachments = Array.from({ length: 1 + random.below(MOST_FILES) }, (_, n) => ({
    filename: `file${n}.png`,
    contentType: 'image/png',
    size: random.chance(0.1) ? TOO_LARGE : 100 + random.below(1_000),
  }));
  const sent = model.post(thread.id, { authorId, content: 'With files', attachments });
  if (random.chance(0.8)) return 'files: post';
  for (const file of sent.attachments) file.isLost = true;
  return 'files: post that are lost';
}
