import { Argument, InvalidArgumentError, type Command } from 'commander';
import { fileDeletion } from '../../../shared/jobs/fileDeletion.js';
import { requestErasure } from '../../../shared/store/erasures.js';
import { CliError } from '../cliError.js';
import type { Archive } from '../openArchive.js';
import { requireMongo, requireQueue } from '../reachable.js';
import type { Result } from '../runCommand.js';
import { runDeed } from '../runDeed.js';
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
    .argument('<id>', 'its id', readId);
  withOptions(command).action(async (kind: Kind, id: string, options: Options) => {
    await runDeed(options, deletionOf(kind, id), async (archive) => {
      await requireReady(archive);
      await requireKnown(archive, kind, id);
      const deletion = { kind, subject: id };
      const { collections } = archive.mongo;
      return finish(archive, await fileDeletion(collections, archive.producer, deletion), options);
    });
  });
}

/** `erase-user <id>` */
export function addEraseUser(program: Command): void {
  const command = program
    .command('erase-user')
    .description('Erase a person: what they wrote, their names and every mention of them')
    .argument('<id>', 'their id', readId);
  withOptions(command).action(async (id: string, options: Options) => {
    const deed = { operation: 'eraseUser', params: { userId: id } };
    await runDeed(options, deed, async (archive) => {
      await requireReady(archive);
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

function readId(text: string): string {
  if (/^\d{17,20}$/.test(text)) return text;
  throw new InvalidArgumentError('An id has 17 to 20 digits.');
}

/** The same names as over HTTP, such as deleteThread. */
function deletionOf(kind: Kind, id: string): { operation: string; params: Record<string, string> } {
  const operation = `delete${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  return { operation, params: { [`${kind}Id`]: id } };
}

async function requireReady(archive: Archive): Promise<void> {
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

async function finish(archive: Archive, jobId: string, { wait }: Options): Promise<Result> {
  if (wait === false) return { jobId, json: { jobId }, lines: [`Queued as ${jobId}`], ok: true };
  const error = await waitForJob(archive, jobId);
  return error === null
    ? {
        ...{ jobId, json: { jobId, state: 'done' }, ok: true },
        lines: ['Done: nothing of it can be read any more'],
      }
    : {
        ...{ jobId, json: { jobId, state: 'failed', error }, ok: false },
        lines: [`Failed: ${error}`],
      };
}
