import { parseDiscordLink } from './parseDiscordLink.js';
import { prepareName } from './prepareText.js';
import {
  walkTokens,
  type MentionToken,
  type MessageToken,
  type Target,
} from './syntax/messageToken.js';

/** What a message's mentions and links are resolved with. */
export interface RenderContext {
  /** The server the message is on, for links to its pages on the platform. */
  guildId: string;
  /** Display names by user id. */
  users: Pick<ReadonlyMap<string, string>, 'get'>;
  /** Names by role id. */
  roles: ReadonlyMap<string, string>;
  targets: LinkTargets;
  /**
   * How many characters of names the message may still be shown with. Each name that is shown is taken off. One context
   * serves all texts of a message.
   */
  nameRoom: number;
}

/** A thread or channel of this archive that messages link to. */
export interface LinkTarget {
  kind: 'thread' | 'channel';
  name: string;
}

/** Threads and channels of this archive that messages link to, by id. */
export type LinkTargets = ReadonlyMap<string, LinkTarget>;

const PAGES: Record<string, { name: string; path?: string }> = {
  customize: { name: 'Channels & Roles', path: 'customize-community' },
  browse: { name: 'Browse Channels', path: 'channel-browser' },
  guide: { name: 'Server Guide', path: '@home' },
  'linked-roles': { name: 'Linked Roles' },
};

/** Writes into each mention how it is shown, and into each mention and link where it leads in this archive. */
export function resolveReferences(tokens: readonly MessageToken[], context: RenderContext): void {
  walkTokens(tokens, (token) => {
    if (token.type === 'mention') {
      token.shown = nameMention(token, context);
      token.href = token.kind === 'page' ? pageAddress(context.guildId, token.name) : undefined;
      token.target = token.kind === 'channel' ? findTarget(context, token.id) : undefined;
    } else if (token.type === 'link') {
      const link = parseDiscordLink(token.href);
      token.target = link && findTarget(context, link.channelId, link.messageId);
    }
  });
}

function findTarget(context: RenderContext, id: string, messageId?: string): Target | undefined {
  const found = context.targets.get(id);
  return found && { kind: found.kind, id, name: nameTarget(found.name), messageId };
}

/** Whether the name of a mentioned person, role or channel is known, and there is room for it. */
export function isKnown(token: MentionToken, context: RenderContext): boolean {
  return nameWithRoom(token, context) !== undefined;
}

/** The name of a mentioned person, role or channel; undefined where it is not known, or there is no room for it. */
function nameWithRoom(
  { kind, id }: MentionToken,
  { users, roles, targets, nameRoom }: RenderContext,
): string | undefined {
  const names: Partial<Record<MentionToken['kind'], string | undefined>> = {
    user: users.get(id),
    role: roles.get(id),
    channel: targets.get(id)?.name,
  };
  const name = names[kind];
  return name !== undefined && name.length <= nameRoom ? name : undefined;
}

// A name that is not known, or too long for the room, becomes `unknown-user`, `unknown-role` or `unknown-channel`.
function nameMention(token: MentionToken, context: RenderContext): string {
  const { kind, name } = token;
  const found = nameWithRoom(token, context);
  context.nameRoom -= found?.length ?? 0;
  switch (kind) {
    case 'user':
      return `@${known(found) ?? 'unknown-user'}`;
    case 'role':
      return `@${known(found) ?? 'unknown-role'}`;
    case 'channel':
      return nameTarget(found);
    case 'command':
      return `/${name}`;
    case 'page':
      return PAGES[name]?.name ?? name;
  }
}

function pageAddress(guildId: string, page: string): string | undefined {
  const path = PAGES[page]?.path;
  return path !== undefined && /^\d{1,20}$/.test(guildId)
    ? `https://discord.com/channels/${guildId}/${path}`
    : undefined;
}

function nameTarget(name: string | undefined): string {
  return `#${known(name) ?? 'unknown-channel'}`;
}

function known(name: string | undefined): string | undefined {
  // A role may be called "@everyone": its sign is not doubled.
  return prepareName(name ?? '').replace(/^[@#](?=.)/, '') || undefined;
}
