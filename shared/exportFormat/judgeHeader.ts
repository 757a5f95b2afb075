import { CHANNEL_TYPES, channelTypeNumber } from './channelTypes.js';
import { ExportError } from './exportError.js';
import type { ExportHeader } from './exportTypes.js';
import { SNOWFLAKE } from './snowflake.js';

/** What a file is, as its guild and channel tell. A file that is `refused` is private, and is never stored. */
export type HeaderVerdict =
  | { kind: 'thread' | 'forum' }
  | { kind: 'skipped' | 'refused'; reason: string };

const THREADS = [CHANNEL_TYPES.GuildNewsThread, CHANNEL_TYPES.GuildPublicThread];
const REFUSED = new Map([
  [1, 'direct messages are never published'],
  [3, 'group direct messages are never published'],
  [12, 'private threads are never published'],
]);
const SKIPPED = new Map([
  [0, 'a text channel is no forum thread'],
  [2, 'a voice channel is no forum thread'],
  [4, 'a category is no forum thread'],
  [5, 'an announcement channel is no forum thread'],
  [6, 'a store channel is no forum thread'],
  [13, 'a stage channel is no forum thread'],
  [14, 'a directory is no forum thread'],
  [16, 'a media channel is no forum thread'],
]);

/** Decides what becomes of a file. Throws ExportError where the header does not tell that the file is public. */
export function judgeHeader(header: Pick<ExportHeader, 'guild' | 'channel'>): HeaderVerdict {
  const type = channelTypeNumber(header.channel.type);
  if (header.guild.id === '0') return { kind: 'refused', reason: REFUSED.get(1)! };
  if (type === null) {
    throw new ExportError(
      `The channel type ${JSON.stringify(header.channel.type)} is not known`,
      'channel.type',
    );
  }
  const refused = REFUSED.get(type);
  if (refused) return { kind: 'refused', reason: refused };
  const skipped = SKIPPED.get(type);
  if (skipped) return { kind: 'skipped', reason: skipped };
  requireIds(header);
  if (!THREADS.includes(type)) return { kind: 'forum' };
  requireParent(header.channel);
  return { kind: 'thread' };
}

function requireIds({ guild, channel }: Pick<ExportHeader, 'guild' | 'channel'>): void {
  for (const [path, id] of [
    ['guild.id', guild.id],
    ['channel.id', channel.id],
  ] as const) {
    if (!SNOWFLAKE.test(id))
      throw new ExportError(`${path} must be an id of 17 to 20 digits`, path);
  }
}

function requireParent({ id, categoryId }: ExportHeader['channel']): void {
  if (!categoryId || !SNOWFLAKE.test(categoryId)) {
    throw new ExportError(
      'Its parent channel is not known, so whether it is public cannot be told',
      'channel.categoryId',
    );
  }
  if (id === categoryId) {
    throw new ExportError('A thread cannot be its own parent channel', 'channel.categoryId');
  }
}

/**
 * The ids of the applied tags. Names are looked up among the available tags. Throws ExportError for an unknown name.
 */
export function appliedTagIds(channel: ExportHeader['channel']): string[] {
  return (channel.appliedTags ?? []).map((given, index) => {
    if (SNOWFLAKE.test(given)) return given;
    const tag = channel.availableTags?.find((available) => available.name === given);
    if (tag) return tag.id;
    throw new ExportError(
      `${JSON.stringify(given)} is neither a tag id nor the name of an available tag`,
      `channel.appliedTags[${index}]`,
    );
  });
}
