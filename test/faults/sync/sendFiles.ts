import { anAvatar } from '../../support/discord/history/people.js';
import type { DiscordModel } from '../../support/discord/model/model.js';
import type { Random } from '../random.js';

const MOST_FILES = 3;

/** Lets a member send files, or gives the server another picture. Returns what happened. */
export function sendFiles(model: DiscordModel, random: Random): string {
  const open = model.publicThreads().filter(({ thread }) => !thread.isArchived);
  if (open.length === 0) return 'silence';
  const { guild, thread } = random.pick(open);
  if (random.chance(0.1)) {
    model.updateGuild(guild.id, { icon: anAvatar(random) });
    return 'files: icon';
  }
  const members = [...guild.members.values()].filter(({ user }) => !user.isBot);
  const attachments = Array.from({ length: 1 + random.below(MOST_FILES) }, (_, n) => ({
    filename: `file${n}.png`,
    contentType: 'image/png',
    size: 100 + random.below(1_000),
  }));
  const authorId = random.pick(members).user.id;
  model.post(thread.id, { authorId, content: 'With files', attachments });
  return 'files: post';
}
