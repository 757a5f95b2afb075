import type {
  ExportChannel,
  ExportGuild,
  ExportMessage,
  ExportUser,
} from '../../shared/exportFormat/exportTypes.js';
import type { ExportFile } from '../../shared/exportFormat/readExport.js';
import { timestampToMicros } from '../../shared/exportFormat/timestamps.js';
import { dateToTimestamp } from '../../shared/exportFormat/timestamps.js';
import { snowflakeTime } from '../../shared/exportFormat/snowflake.js';
import { anId } from './factories.js';

/** The root object of an export file. Any key may be overridden, also with a wrong value. */
export type RawExport = Record<string, unknown> & {
  guild: ExportGuild;
  channel: ExportChannel;
  messages: ExportMessage[];
};

/** A person in an export file. */
export function anExportUser(more: Partial<ExportUser> = {}): ExportUser {
  return {
    id: '100000000000000001',
    name: 'ada',
    discriminator: '0000',
    nickname: 'Ada',
    isBot: false,
    avatarUrl: 'https://cdn.discordapp.com/avatars/100000000000000001/abc.png?size=512',
    ...more,
  };
}

/** A message of an export file. */
export function anExportMessage(more: Partial<ExportMessage> = {}): ExportMessage {
  const id = more.id ?? anId();
  return {
    id,
    type: 'Default',
    timestamp: dateToTimestamp(new Date(snowflakeTime(id))),
    timestampEdited: null,
    isPinned: false,
    content: 'Hello',
    author: anExportUser(),
    attachments: [],
    embeds: [],
    stickers: [],
    reactions: [],
    mentions: [],
    inlineEmojis: [],
    ...more,
  };
}

/** A public forum thread in the form of the exporter. */
export function anExport(
  more: {
    guild?: Partial<ExportGuild>;
    channel?: Partial<ExportChannel>;
    messages?: ExportMessage[];
  } = {},
): RawExport {
  const messages = more.messages ?? [anExportMessage()];
  return {
    guild: { id: '200000000000000001', name: 'Server', iconUrl: null, ...more.guild },
    channel: {
      id: messages[0]?.id ?? anId(),
      type: 'GuildPublicThread',
      categoryId: '300000000000000001',
      category: 'help',
      name: 'How do I start?',
      topic: null,
      ...more.channel,
    },
    dateRange: { after: null, before: null },
    exportedAt: '2026-02-01T12:00:00.1234567+00:00',
    messages,
    messageCount: messages.length,
  };
}

/** An inspected file with this root object. */
export function anExportFile(
  root: RawExport = anExport(),
  more: Partial<ExportFile> = {},
): ExportFile {
  const { messages, ...header } = root;
  return {
    kind: 'thread',
    header,
    messages: messages.length,
    asOf: timestampToMicros(String(header.exportedAt)),
    startedFromMessage: false,
    batch: null,
    ...more,
  };
}

/** A value as JSON bytes, or a text as it is, in chunks of a size. */
export async function* bytesOf(value: unknown, chunkSize = 65_536): AsyncGenerator<Buffer> {
  const all = Buffer.isBuffer(value)
    ? value
    : Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
  for (let at = 0; at < all.length; at += chunkSize) {
    yield await Promise.resolve(all.subarray(at, at + chunkSize));
  }
}
