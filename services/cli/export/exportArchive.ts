import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { writeExport, type ExportContent } from '../../../shared/exportFormat/writeExport.js';
import type { Mongo } from '../../../shared/platform/clients.js';
import type { ChannelRecord, ServerRecord, ThreadRecord } from '../../../shared/store/records.js';
import { CliError } from '../cliError.js';
import { forEachAtOnce } from '../forEachAtOnce.js';
import { createProgress, type Progress } from '../progress.js';
import { counted } from '../numbers.js';
import { reasonOf } from '../walkFiles.js';

const THREADS_AT_ONCE = 4;

/** What an export wrote. */
export interface ExportSummary {
  threads: number;
  /** Forums without threads, each in a file of its own. */
  forums: number;
  messages: number;
  seconds: number;
}

/** The archive's places, by id. */
interface Places {
  servers: Map<string, ServerRecord>;
  channels: Map<string, ChannelRecord>;
}

/**
 * Writes everything that is not deleted into a folder, in the extended form: `<server>/<channel>/<thread>.json`, all
 * ids. Throws CliError when the folder holds anything, unless forced.
 */
export async function exportArchive(
  { collections }: Pick<Mongo, 'collections'>,
  folder: string,
  { force }: { force: boolean },
): Promise<ExportSummary> {
  const began = performance.now();
  await requireEmpty(folder, force);
  const places = await loadPlaces(collections);
  const alive = { deleted: { $ne: true } };
  const total = await collections.threads.countDocuments(alive);
  const progress = createProgress('Exporting', total, (done) => counted(done, 'thread'));
  try {
    const written = await writeThreads({ collections }, folder, places, progress);
    const forums = await writeForums({ collections }, folder, places);
    return { ...written, forums, seconds: Math.round(performance.now() - began) / 1_000 };
  } finally {
    progress.stop();
  }
}

async function requireEmpty(folder: string, force: boolean): Promise<void> {
  await makeFolder(folder);
  if (!force && (await readdir(folder)).length > 0) {
    throw new CliError(`${folder} is not empty: name another folder, or write into it by --force`);
  }
}

async function loadPlaces({
  servers,
  channels,
}: Pick<Mongo['collections'], 'servers' | 'channels'>): Promise<Places> {
  const [allServers, allChannels] = await Promise.all([
    servers.find({ deleted: { $ne: true } }).toArray(),
    channels.find({ deleted: { $ne: true } }).toArray(),
  ]);
  return {
    servers: new Map(allServers.map((server) => [server._id, server])),
    channels: new Map(allChannels.map((channel) => [channel._id, channel])),
  };
}

async function writeThreads(
  { collections }: Pick<Mongo, 'collections'>,
  folder: string,
  places: Places,
  progress: Progress,
): Promise<Pick<ExportSummary, 'threads' | 'messages'>> {
  const written = { threads: 0, messages: 0 };
  const threads = collections.threads.find({ deleted: { $ne: true } });
  await forEachAtOnce(threads, THREADS_AT_ONCE, async (thread) => {
    const messages = collections.messages
      .find({ threadId: thread._id, deleted: { $ne: true } })
      .sort({ order: 1 })
      .map((message) => {
        written.messages += 1;
        return message;
      });
    const path = join(folder, thread.serverId, thread.channelId, `${thread._id}.json`);
    await writeFile(path, { ...around(thread, places), thread, messages, asOf: thread.asOf });
    written.threads += 1;
    progress.advance(1);
  });
  return written;
}

function around(
  thread: ThreadRecord,
  { servers, channels }: Places,
): Pick<ExportContent, 'server' | 'channel'> {
  const server = servers.get(thread.serverId);
  const channel = channels.get(thread.channelId);
  if (server && channel) return { server, channel };
  throw new CliError(
    `Thread ${thread._id} belongs to a server or channel that is not in the archive`,
  );
}

async function writeForums(
  { collections }: Pick<Mongo, 'collections'>,
  folder: string,
  { servers, channels }: Places,
): Promise<number> {
  let forums = 0;
  for (const channel of channels.values()) {
    const server = servers.get(channel.serverId);
    const thread = await collections.threads.findOne({
      channelId: channel._id,
      deleted: { $ne: true },
    });
    if (thread || !server) continue;
    const asOf = Math.max(0, ...Object.values(channel.stamps));
    const path = join(folder, server._id, channel._id, 'forum.json');
    await writeFile(path, { server, channel, thread: null, messages: [], asOf });
    forums += 1;
  }
  return forums;
}

/** Writes beside the file first, so that a file of this name is always whole. */
async function writeFile(path: string, content: ExportContent): Promise<void> {
  const temporary = `${path}.${process.pid}.partial`;
  await makeFolder(dirname(path));
  try {
    await pipeline(Readable.from(writeExport(content)), createWriteStream(temporary));
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw isOfFiles(error) ? cannotWrite(path, error) : error;
  }
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw cannotWrite(folder, error);
  });
}

function cannotWrite(path: string, error: unknown): CliError {
  return new CliError(`${path} cannot be written: ${reasonOf(error)}`);
}

/** Told apart from errors of the stores, which have no path. */
function isOfFiles(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && ('path' in error || 'dest' in error);
}
