import type { APIGuildMember, APIUser } from 'discord-api-types/v10';
import type { Member, Message, User } from '../model/entities.js';
import { isoOf } from './times.js';

/** An account in the form in which messages and members hold it. */
export function presentUser({
  id,
  username,
  globalName,
  discriminator,
  avatar,
  isBot,
}: User): APIUser {
  return {
    id,
    username,
    discriminator,
    avatar,
    global_name: globalName,
    ...UNTOLD,
    ...(isBot ? { bot: true } : {}),
  };
}

const UNTOLD = {
  public_flags: 0,
  flags: 0,
  banner: null,
  accent_color: null,
  avatar_decoration_data: null,
  collectibles: null,
  primary_guild: null,
};

/** The author of a webhook's message, which is not an account. */
export function presentWebhook(
  id: string,
  { name, avatar }: NonNullable<Message['webhook']>,
): APIUser {
  return presentUser({
    id,
    username: name,
    avatar,
    globalName: null,
    discriminator: '0000',
    isBot: true,
  });
}

/** A member without the account, in the form of message events. */
export function presentMemberAlone({
  nick,
  roleIds,
  joinedAt,
}: Member): Omit<APIGuildMember, 'user'> {
  return {
    nick,
    avatar: null,
    banner: null,
    roles: roleIds,
    joined_at: isoOf(joinedAt),
    premium_since: null,
    deaf: false,
    mute: false,
    pending: false,
    flags: UNTOLD.flags,
    communication_disabled_until: null,
  };
}

/** A member with the account. */
export function presentMember(member: Member): APIGuildMember {
  return { ...presentMemberAlone(member), user: presentUser(member.user) };
}
