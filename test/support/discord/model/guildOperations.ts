import type { Guild, Member, Role, User } from './entities.js';
import type { GuildOperations, NewRole } from './operations.js';
import { READING } from './permissions.js';
import { need, type State } from './state.js';

/** The operations on guilds. */
export function guildOperations(state: State): GuildOperations {
  const guildOf = (guildId: string): Guild => need(state.guilds, guildId, 'guild');
  return {
    createUser(values) {
      const user = newUser(state, values);
      state.users.set(user.id, user);
      return user;
    },

    updateUser(userId, values) {
      const user = Object.assign(need(state.users, userId, 'user'), values);
      for (const guild of state.guilds.values()) {
        const member = guild.members.get(userId);
        if (member) state.emit({ kind: 'memberUpdated', guild, member });
      }
      return user;
    },

    deleteAccount(userId) {
      const user = need(state.users, userId, 'user');
      const username = `deleted_user_${BigInt(userId).toString(16)}`;
      Object.assign(user, { username, globalName: null, avatar: null, discriminator: '0' });
      for (const guild of state.guilds.values()) {
        if (guild.members.has(userId)) this.removeMember(guild.id, userId);
      }
    },

    createGuild({ at, ...values } = {}) {
      const id = state.newId(at);
      const dated = at === undefined ? {} : { at };
      const owner = this.createUser({
        username: `owner${id}`,
        ...(at === undefined ? {} : { at }),
      });
      const guild: Guild = {
        id,
        name: 'Server',
        icon: null,
        description: null,
        ownerId: owner.id,
        nsfwLevel: 0,
        roles: new Map(),
        members: new Map(),
        emojis: [],
        isUnavailable: false,
        ...values,
      };
      const everyone = newRole(state, { ...dated, name: '@everyone', permissions: READING });
      guild.roles.set(id, { ...everyone, id, position: 0 });
      const own = newRole(state, {
        ...dated,
        name: 'Archive',
        permissions: READING,
        botId: state.bot.id,
      });
      guild.roles.set(own.id, own);
      for (const [user, roleIds] of [
        [owner, []],
        [state.bot, [own.id]],
      ] as [User, string[]][]) {
        guild.members.set(user.id, newMember(state, user, { roleIds }, at));
      }
      state.guilds.set(id, guild);
      state.emit({ kind: 'guildCreated', guild });
      return guild;
    },

    updateGuild(guildId, values) {
      const guild = Object.assign(guildOf(guildId), values);
      state.emit({ kind: 'guildUpdated', guild });
      return guild;
    },

    deleteGuild(guildId) {
      const guild = guildOf(guildId);
      state.guilds.delete(guildId);
      for (const places of [state.channels, state.threads]) {
        for (const { id, guildId: owner } of places.values()) {
          if (owner !== guildId) continue;
          places.delete(id);
          state.messages.delete(id);
        }
      }
      state.emit({ kind: 'guildDeleted', guild });
    },

    dismissBot(guildId) {
      const guild = guildOf(guildId);
      guild.members.delete(state.bot.id);
      state.emit({ kind: 'guildDeleted', guild });
    },

    inviteBot(guildId) {
      const guild = guildOf(guildId);
      const own = [...guild.roles.values()].filter(({ botId }) => botId === state.bot.id);
      const roleIds = own.map(({ id }) => id);
      guild.members.set(state.bot.id, newMember(state, state.bot, { roleIds }));
      state.emit({ kind: 'guildCreated', guild });
    },

    setUnavailable(guildId, isUnavailable) {
      const guild = guildOf(guildId);
      guild.isUnavailable = isUnavailable;
      state.emit({ kind: 'guildAvailability', guild });
    },

    createRole(guildId, values) {
      const guild = guildOf(guildId);
      const role = { ...newRole(state, values), position: guild.roles.size };
      guild.roles.set(role.id, role);
      state.emit({ kind: 'roleCreated', guild, role });
      return role;
    },

    updateRole(guildId, roleId, values) {
      const guild = guildOf(guildId);
      const role = Object.assign(need(guild.roles, roleId, 'role'), values);
      state.emit({ kind: 'roleUpdated', guild, role });
      return role;
    },

    deleteRole(guildId, roleId) {
      const guild = guildOf(guildId);
      const role = need(guild.roles, roleId, 'role');
      guild.roles.delete(roleId);
      for (const member of guild.members.values()) {
        member.roleIds = member.roleIds.filter((id) => id !== roleId);
      }
      for (const channel of state.channels.values()) {
        channel.overwrites = channel.overwrites.filter(({ id }) => id !== roleId);
      }
      state.emit({ kind: 'roleDeleted', guild, role });
    },

    addMember(guildId, userId, { at, ...values } = {}) {
      const guild = guildOf(guildId);
      const member = newMember(state, need(state.users, userId, 'user'), values, at);
      guild.members.set(userId, member);
      state.emit({ kind: 'memberAdded', guild, member });
      return member;
    },

    updateMember(guildId, userId, values) {
      const guild = guildOf(guildId);
      const member = Object.assign(need(guild.members, userId, 'member'), values);
      state.emit({ kind: 'memberUpdated', guild, member });
      return member;
    },

    removeMember(guildId, userId) {
      const guild = guildOf(guildId);
      const member = need(guild.members, userId, 'member');
      guild.members.delete(userId);
      state.emit({ kind: 'memberRemoved', guild, member });
    },
  };
}

/** A new account. */
export function newUser(
  state: Pick<State, 'newId'>,
  { at, ...values }: Partial<Omit<User, 'id'>> & { at?: number } = {},
): User {
  const id = state.newId(at);
  const defaults = { username: `user${id}`, globalName: null, discriminator: '0', avatar: null };
  return { id, ...defaults, isBot: false, ...values };
}

function newRole(state: State, { at, ...values }: NewRole = {}): Role {
  const defaults = { name: 'new role', permissions: 0n, position: 1, color: 0, botId: null };
  return { id: state.newId(at), ...defaults, ...values };
}

function newMember(
  state: State,
  user: User,
  values: Partial<Pick<Member, 'nick' | 'roleIds'>>,
  at?: number,
): Member {
  return { user, nick: null, roleIds: [], joinedAt: at ?? state.clock.now(), ...values };
}
