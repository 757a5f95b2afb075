import { isNamed } from '../../../shared/discordApi/optOutRoles.js';
import type { Guild, Role } from '../../support/discord/model/entities.js';
import type { DiscordModel } from '../../support/discord/model/model.js';
import type { Random } from '../random.js';

/** The name of the role by which people opt out. */
export const OPT_OUT_ROLE = 'no archive';
/** Spellings of it. */
const SPELLINGS = [OPT_OUT_ROLE, '@No Archive'];

/** The roles of a server by which people opt out. */
export function optOutRoles({ roles }: Guild): Role[] {
  return [...roles.values()].filter((role) => isNamed(OPT_OUT_ROLE, role));
}

/** Roles that members can be given. */
function givenRoles({ id: guildId, roles }: Guild): Role[] {
  return [...roles.values()].filter(({ id, botId }) => id !== guildId && botId === null);
}

/**
 * Renames, deletes or makes roles by which people opt out, and gives and takes them around that. Returns what happened.
 */
export function changeOptOutRoles(model: DiscordModel, guild: Guild, random: Random): string {
  const named = optOutRoles(guild);
  const others = givenRoles(guild).filter((role) => !named.includes(role));
  const { id: guildId } = guild;
  const members = [...guild.members.values()].filter(({ user }) => !user.isBot);
  const member = random.pick(members);
  const change = (roleIds: string[]): void =>
    void model.updateMember(guildId, member.user.id, { roleIds });
  const give = (roleId: string): void => change([...new Set([...member.roleIds, roleId])]);
  const what = random.pick(['rename', 'unname', 'delete', 'make', 'replace', 'give', 'take']);
  if (named.length === 0 || what === 'make') {
    const { id } = model.createRole(guildId, { name: random.pick(SPELLINGS) });
    if (random.chance(0.5)) give(id);
    return 'role: make';
  }
  const role = random.pick(named);
  if (what === 'rename') {
    if (others.length === 0) return 'role: none';
    model.updateRole(guildId, random.pick(others).id, { name: random.pick(SPELLINGS) });
  } else if (what === 'unname') {
    model.updateRole(guildId, role.id, { name: `was ${random.below(1000)}` });
  } else if (what === 'delete') {
    if (random.chance(0.5)) give(role.id);
    model.deleteRole(guildId, role.id);
  } else if (what === 'replace') {
    model.deleteRole(guildId, role.id);
    give(model.createRole(guildId, { name: role.name }).id);
  } else if (what === 'give') give(role.id);
  else change(member.roleIds.filter((id) => !named.some((one) => one.id === id)));
  return `role: ${what}`;
}
