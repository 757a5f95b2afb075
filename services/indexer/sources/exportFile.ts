import type { ExportHeader, ExportMessage } from '../../../shared/exportFormat/exportTypes.js';
import { messagesOf, type ExportFile } from '../../../shared/exportFormat/readExport.js';
import type { SourceMessage, SourceThread, Stamps } from '../../../shared/store/records.js';
import { mapForum, mapParent, mapServer, mapThread, TEXT_CHANNEL } from './mapHeader.js';
import { mapMessage } from './mapMessage.js';

/** What a file says of its thread, forum and server, and the stamps of what it only implies. */
export interface MappedThread {
  source: SourceThread;
  inferred: Stamps;
}

/** Maps an inspected file. Fields that the file does not tell are absent. */
export function sourceThread(file: ExportFile): MappedThread {
  const { header, kind, asOf } = file;
  const common = { asOf, server: mapServer(header.guild) };
  if (kind === 'forum') {
    return { source: { ...common, channel: mapForum(header), thread: null }, inferred: {} };
  }
  const channel = mapParent(file);
  return {
    source: { ...common, channel, thread: mapThread(header) },
    inferred: inferredStamps(header, channel.type === TEXT_CHANNEL),
  };
}

/**
 * Stamps of the channel's type and name, where a thread's file does not tell them, but only implies them. A thread that
 * was started from a message is surely in a text channel, because no thread of a forum begins so. Any other thread may
 * be in either. So the type of a text channel gets the higher stamp.
 */
function inferredStamps(
  { channel: { category, forum } }: ExportHeader,
  isTextChannel: boolean,
): Stamps {
  return {
    ...(forum?.type === undefined && { type: isTextChannel ? 1 : 0 }),
    ...(!category && { name: 0 }),
  };
}

/** Reads the messages of an inspected file once more, and yields them in batches. `open` gives the file's bytes. */
export async function* sourceMessages(
  file: ExportFile,
  open: () => AsyncIterable<Buffer>,
): AsyncGenerator<SourceMessage[]> {
  for await (const batch of messagesOf(file, open)) {
    yield batch.map((message) => sourceMessage(message, file));
  }
}

/** Maps a checked message of an inspected file. */
export function sourceMessage(message: ExportMessage, file: ExportFile): SourceMessage {
  return mapMessage(message, {
    threadId: file.header.channel.id,
    serverId: file.header.guild.id,
    asOf: file.asOf,
    raw: file.header.contentFormat === 'raw',
    // The exporter has written nicknames since shortly before it began to write this time.
    mayBeUsernames: file.header.exportedAt === undefined,
  });
}
