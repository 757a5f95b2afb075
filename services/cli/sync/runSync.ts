import { syncRequestSchema, type SyncRequest } from '../../../shared/contract/admin.js';
import { stateOf } from '../../../shared/store/state.js';
import { requestSync } from '../../../shared/store/requestSync.js';
import { CliError } from '../cliError.js';
import { counted } from '../numbers.js';
import type { Archive } from '../openArchive.js';
import { runAudited } from '../runAudited.js';
import type { Result } from '../runCommand.js';
import { runJob } from '../runJob.js';

/** Options of `sync`. */
export interface SyncOptions {
  server?: string;
  channel?: string;
  thread?: string;
  wait?: boolean;
  json?: boolean;
}

/** The place that the options name, or a text that says what is wrong with them. */
export function placeOf({ server, channel, thread }: SyncOptions): SyncRequest | string {
  const place = {
    ...(server !== undefined && { serverId: server }),
    ...(channel !== undefined && { channelId: channel }),
    ...(thread !== undefined && { threadId: thread }),
  };
  const { error } = syncRequestSchema.validate(place, { errors: { wrap: { label: false } } });
  if (!error) return place;
  return Object.keys(place).length > 1
    ? 'name only one of --server, --channel and --thread'
    : error.message;
}

const NOTHING_SYNCED = { threads: 0, messages: 0, failed: 0 };

/** Asks for a place to be synced. It waits for the end unless told otherwise. */
export async function runSync(options: SyncOptions, place: SyncRequest): Promise<void> {
  const entry = { operation: 'sync', params: { ...place } };
  await runAudited(options, entry, (archive) => sync(archive, place, options.wait !== false));
}

async function sync(archive: Archive, place: SyncRequest, wait: boolean): Promise<Result> {
  const { collections } = archive.mongo;
  if (!(await stateOf(collections.state, 'sync').findOne({ _id: 'sync' }))) {
    throw new CliError('No indexer has a bot token: set DISCORD_BOT_TOKEN where it is started');
  }
  const job = {
    label: 'sync',
    isRecorded: true,
    async file() {
      const requestId = await requestSync(collections, place);
      return archive.producer.add('sync', { requestId });
    },
    resultOf(result: unknown, jobId: string): Result {
      const { threads, messages, failed } = { ...NOTHING_SYNCED, ...(result as object) };
      const lines = [`Synced: ${counted(threads, 'thread')}, ${counted(messages, 'message')}`];
      if (failed > 0) lines.push(`Could not be fetched: ${counted(failed, 'thread')}`);
      return { json: { jobId, state: 'done', threads, messages, failed }, lines, ok: failed === 0 };
    },
  };
  return runJob(archive, job, wait);
}
