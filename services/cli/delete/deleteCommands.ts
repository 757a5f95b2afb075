import { Argument, type Command } from 'commander';
import { requestErasure } from '../../../shared/store/erasures.js';
import { CliError } from '../cliError.js';
import type { Archive } from '../openArchive.js';
import { requireMongo, requireQueue } from '../reachable.js';
import { runCommand, type Result } from '../runCommand.js';
import { waitForJob } from '../waitForJob.js';

const KINDS = ['thread', 'channel', 'server'] as const;
type Kind = (typeof KINDS)[number];

interface Options {
  wait?: boolean;
  json?: boolean;
}

/** `delete thread|channel|server <id>` */
export function addDelete(program: Command): void {
  const command = program
    .command('delete')
    .description('Remove a thread, channel or server for good: no import brings it back')
    .addArgument(new Argument('<kind>', 'what to remove').choices(KINDS))
    .argument('<id>', 'its id');
  withOptions(command).action(async (kind: Kind, id: string, options: Options) => {
    await runCommand(options, async (archive) => {
      await requireReady(archive, id);
      await requireKnown(archive, kind, id);
      return finish(archive, await fileDeletion(archive, kind, id), options);
    });
  });
}

/** `erase-user <id>` */
export function addEraseUser(program: Command): void {
  const command = program
    .command('erase-user')
    .description('Erase a person: what they wrote, their names and every mention of them')
    .argument('<id>', 'their id');
  withOptions(command).action(async (id: string, options: Options) => {
    await runCommand(options, async (archive) => {
      await requireReady(archive, id);
      const erasureId = await requestErasure(archive.mongo.collections, id);
      return finish(archive, await archive.producer.add('erase-user', { erasureId }), options);
    });
  });
}

function withOptions(command: Command): Command {
  return command
    .option('--wait', 'wait until nothing of it can be read (default)')
    .option('--no-wait', 'return once the work is queued')
    .option('--json', 'print the result as JSON');
}

async function requireReady(archive: Archive, id: string): Promise<void> {
  if (!/^\d{17,20}$/.test(id)) throw new CliError('An id has 17 to 20 digits');
  await requireMongo(archive);
  await requireQueue(archive);
  archive.startIndexer();
}

async function requireKnown({ mongo }: Archive, kind: Kind, id: string): Promise<void> {
  const { threads, channels, servers } = mongo.collections;
  const found = {
    thread: () => threads.countDocuments({ _id: id }),
    channel: () => channels.countDocuments({ _id: id }),
    server: () => servers.countDocuments({ _id: id }),
  };
  if ((await found[kind]()) === 0) throw new CliError(`There is no ${kind} ${id} in the archive`);
}

function fileDeletion({ producer }: Archive, kind: Kind, id: string): Promise<string> {
  if (kind === 'thread') return producer.add('delete-thread', { threadId: id });
  if (kind === 'channel') return producer.add('delete-channel', { channelId: id });
  return producer.add('delete-server', { serverId: id });
}

async function finish(archive: Archive, jobId: string, { wait }: Options): Promise<Result> {
  if (wait === false) return { json: { jobId }, lines: [`Queued as ${jobId}`], ok: true };
  const error = await waitForJob(archive, jobId);
  return error === null
    ? {
        json: { jobId, state: 'done' },
        lines: ['Done: nothing of it can be read any more'],
        ok: true,
      }
    : { json: { jobId, state: 'failed', error }, lines: [`Failed: ${error}`], ok: false };
}
