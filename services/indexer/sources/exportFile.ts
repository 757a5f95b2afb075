import type { ExportMessage } from '../../../shared/exportFormat/exportTypes.js';
import { fileTime, type ExportFile } from '../../../shared/exportFormat/readExport.js';
import type { SourceMessage, SourceThread } from '../../../shared/store/records.js';
import { mapForum, mapParent, mapServer, mapThread } from './mapHeader.js';
import { mapMessage } from './mapMessage.js';

/** What a file says of its thread, forum and server; `inferred` names the channel's fields that are only likely. */
export interface MappedThread {
  source: SourceThread;
  inferred: ('type' | 'name')[];
}

/** Maps an inspected file. Fields that the file does not tell are absent. */
export function sourceThread(file: ExportFile): MappedThread {
  const { header, kind } = file;
  const isTypeTold = kind === 'forum' || header.channel.forum?.type !== undefined;
  const isNameTold = kind === 'forum' || Boolean(header.channel.category);
  return {
    source: {
      asOf: fileTime(file),
      server: mapServer(header.guild),
      channel: kind === 'forum' ? mapForum(header) : mapParent(file),
      thread: kind === 'forum' ? null : mapThread(header),
    },
    inferred: [...(isTypeTold ? [] : ['type' as const]), ...(isNameTold ? [] : ['name' as const])],
  };
}

/** Maps a checked message of an inspected file. */
export function sourceMessage(message: ExportMessage, file: ExportFile): SourceMessage {
  return mapMessage(message, {
    threadId: file.header.channel.id,
    asOf: fileTime(file),
    raw: file.header.contentFormat === 'raw',
  });
}
