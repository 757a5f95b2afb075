import type { Random } from '../../../faults/random.js';
import type { Guild, User } from '../model/entities.js';
import type { DiscordModel } from '../model/model.js';
import { aName } from './words.js';

const FIRST_ACCOUNT = Date.UTC(2015, 5, 1);

/** Generates accounts of all ages: members with and without a nickname, bots, people who left, and deleted accounts. */
export function generatePeople(
  model: DiscordModel,
  random: Random,
  guild: Guild,
  count: number,
): User[] {
  const roleIds = [...guild.roles.values()]
    .filter(({ id, botId }) => id !== guild.id && botId === null)
    .map(({ id }) => id);
  const now = model.clock.now();
  return Array.from({ length: count }, (_, number) => {
    const at = FIRST_ACCOUNT + random.below(now - FIRST_ACCOUNT);
    const isBot = number % 9 === 5;
    const user = model.createUser({
      at,
      isBot,
      username: aName(random, number),
      globalName: isBot || random.chance(0.3) ? null : `Person ${number}`,
      discriminator: isBot ? String(1000 + random.below(9000)) : '0',
      avatar: random.chance(0.6) ? anAvatar(random) : null,
    });
    model.addMember(guild.id, user.id, {
      at: at + random.below(now - at),
      nick: random.chance(0.3) ? `Nick ${number}` : null,
      roleIds: roleIds.filter(() => random.chance(0.3)),
    });
    if (number % 7 === 3) model.removeMember(guild.id, user.id);
    if (number % 11 === 6) model.deleteAccount(user.id);
    return user;
  });
}

/** The hash of a picture, as of a person or a server. */
export function anAvatar(random: Random): string {
  const hash = Array.from({ length: 32 }, () => random.below(16).toString(16)).join('');
  return random.chance(0.2) ? `a_${hash}` : hash;
}
