import { PermissionFlagsBits } from 'discord-api-types/v10';
import { compareIds } from '../../../../services/indexer/views/tallyPeople.js';
import { presentChannel, presentThread } from '../present/presentChannel.js';
import { presentGuild, presentRole } from '../present/presentGuild.js';
import { presentMember } from '../present/presentUser.js';
import { guildOf, type Call, type Handler } from './call.js';
import { unknownMember } from './restError.js';

/** A guild with its roles. With with_counts, it also has its number of members. */
export const getGuild: Handler = (call) => {
  const guild = guildOf(call);
  const counts = {
    approximate_member_count: guild.members.size,
    approximate_presence_count: 1,
  };
  return { ...presentGuild(guild), ...(call.query.get('with_counts') === 'true' ? counts : {}) };
};

/** The channels of a guild that the bot may see, without threads. */
export const listGuildChannels: Handler = (call) => {
  const guild = guildOf(call);
  return [...call.model.channels.values()]
    .filter(({ id, guildId }) => guildId === guild.id && isSeen(call, id))
    .map(presentChannel);
};

/** The roles of a guild. */
export const listRoles: Handler = (call) => [...guildOf(call).roles.values()].map(presentRole);

/** A member of a guild. */
export const getMember: Handler = (call) => {
  const member = guildOf(call).members.get(call.ids[1]!);
  if (!member) throw unknownMember();
  return presentMember(member);
};

/** All active threads of a guild that the bot may see, newest first, in one page. */
export const listActiveThreads: Handler = (call) => {
  const guild = guildOf(call);
  const threads = [...call.model.threads.values()]
    .filter(({ guildId, isArchived }) => guildId === guild.id && !isArchived)
    .filter(({ id }) => isSeen(call, id))
    .sort((left, right) => compareIds(right.id, left.id));
  return { threads: threads.map(presentThread), members: [] };
};

function isSeen({ model }: Call, channelId: string): boolean {
  return (model.permissionsOf(model.bot.id, channelId) & PermissionFlagsBits.ViewChannel) !== 0n;
}
