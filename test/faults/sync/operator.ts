import type { Collection } from 'mongodb';
import { createHandlers, type Handlers } from '../../../services/indexer/handlers.js';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { requestDeletion } from '../../../shared/store/deletions.js';
import type { DeletionKind } from '../../../shared/store/deletionRecord.js';
import { requestErasure } from '../../../shared/store/erasures.js';
import { requestSync } from '../../../shared/store/requestSync.js';
import type { DiscordDouble } from '../../support/discord/types.js';
import { everyTrace } from '../../support/everyTrace.js';
import type { TestStores } from '../../support/stores.js';
import type { Random } from '../random.js';
import { killableProcess, type KillableProcess } from './killable.js';

/** An erasure: of whom, and which messages of anybody were recorded when it was requested. */
export interface Erasure {
  userId: string;
  recorded: ReadonlySet<string>;
}

/** What the operator has removed, from the request on. */
export interface Removed extends Readonly<Record<DeletionKind, ReadonlySet<string>>> {
  readonly erasures: readonly Erasure[];
  /** Ids of erased people. */
  readonly userIds: ReadonlySet<string>;
}

/** What must not be shown any more, because the job that removes it has ended. */
export interface Gone {
  userIds: Set<string>;
  /** Ids of servers, channels and threads. */
  placeIds: Set<string>;
}

/** An operator who removes things and people while the archive is synced. */
export interface Operator {
  readonly removed: Removed;
  readonly gone: Gone;
  /** Begins a random act, of all or of some. Resolves with what it is. The rest of it goes on meanwhile. */
  act(random: Random, among?: readonly string[]): Promise<string>;
  /** Begins to erase somebody. Resolves when the erasure is requested. */
  erase(userId: string): Promise<void>;
  /** Lets another process do what is begun from now on. Returns the one before, for the trial to kill. */
  relieve(): KillableProcess;
  /** Waits until everything is done that was begun. */
  settle(): Promise<void>;
  /** Is to be called when an archive is restored, before anything of it is shown. */
  forget(): void;
  /**
   * Begins to remove once more what was restored. What is not recorded any more counts as not removed: the sync brings
   * it.
   */
  repeat(): Promise<void>;
  /** Resolves with what went wrong, once everything is done that was begun. */
  end(): Promise<string[]>;
}

/** The collections that readers are shown something of, and the search index. */
const SHOWN = /^(bodies|pieces|threadItems|contributions|members|ranks|similar|search|redis) /;
/** Acts, as often as they are wanted. */
const OFTEN = ['thread', 'message', 'message', 'sync', 'views', 'channel'];

const KINDS = ['server', 'channel', 'thread', 'message'] as const;

const KEPT = { deleted: { $ne: true } } as const;

type Act = (random: Random) => Promise<string>;

/** Makes an operator who uses the jobs of the archive. */
export function createOperator(
  deps: IndexerDeps,
  stores: TestStores,
  { model }: DiscordDouble,
): Operator {
  const { collections } = deps;
  let process = killableProcess(deps);
  const erasures: Erasure[] = [];
  const removed = {
    erasures,
    userIds: new Set<string>(),
    server: new Set<string>(),
    channel: new Set<string>(),
    thread: new Set<string>(),
    message: new Set<string>(),
  };
  const gone: Gone = { userIds: new Set(), placeIds: new Set() };
  const wrong: string[] = [];
  const jobs: Promise<unknown>[] = [];
  /** Runs a job, and again in another process where the one that runs it is killed. */
  const run = async (name: keyof Handlers, payload: object): Promise<void> => {
    const running = process;
    try {
      await createHandlers(running.deps)[name](payload);
    } catch (error) {
      if (!running.isDead) throw error;
      await run(name, payload);
    }
  };
  const begin = (name: keyof Handlers, payload: object, done: () => unknown): void => {
    const job = run(name, payload).then(done);
    jobs.push(job.catch((error: unknown) => wrong.push(`${name} failed: ${String(error)}`)));
  };

  const erase = async (userId: string): Promise<void> => {
    const said = await collections.messages.distinct('_id', { ...KEPT, counted: true });
    const recorded = new Set(said);
    removed.userIds.add(userId);
    erasures.push({ userId, recorded });
    const erasureId = await requestErasure(collections, userId);
    begin('erase-user', { erasureId }, async () => {
      gone.userIds.add(userId);
      const texts = await everyTrace(stores);
      for (const text of texts.filter((one) => SHOWN.test(one) && one.includes(userId))) {
        wrong.push(`${userId} was erased, but is shown: ${text.slice(0, 300)}`);
      }
    });
  };
  const beginRemoval = async (kind: DeletionKind, id: string): Promise<void> => {
    await requestDeletion(collections, kind, id);
    // A thread has the id of its first message.
    const isPlace = kind !== 'message';
    begin(`delete-${kind}`, { [`${kind}Id`]: id }, () => isPlace && gone.placeIds.add(id));
  };
  /** Deletes one of some things. A second forum stays, so that something is left. */
  const remove = async (
    kind: DeletionKind,
    random: Random,
    ids: readonly string[],
  ): Promise<string> => {
    // How many random numbers are used must not depend on what is recorded by now.
    const id = random.pick(ids.length > 0 ? ids : ['']);
    if (id === '' || (kind === 'channel' && removed.channel.size > 0)) return 'operator: nothing';
    removed[kind].add(id);
    await beginRemoval(kind, id);
    return `operator: delete ${kind}`;
  };
  const acts: Record<string, Act> = {
    thread: async (random) =>
      remove('thread', random, await collections.threads.distinct('_id', KEPT)),
    message: async (random) =>
      remove('message', random, await collections.messages.distinct('_id', KEPT)),
    channel: async (random) =>
      remove('channel', random, await collections.channels.distinct('_id', KEPT)),
    server: async (random) =>
      remove('server', random, await collections.servers.distinct('_id', KEPT)),
    views() {
      begin('reindex-views', {}, () => undefined);
      return Promise.resolve('operator: reindex views');
    },
    async sync(random) {
      const threadIds = [...model.threads.keys()];
      if (threadIds.length > 0)
        await requestSync(collections, { threadId: random.pick(threadIds) });
      return 'operator: sync thread';
    },
  };
  const isRecorded = async (kind: DeletionKind, _id: string): Promise<boolean> => {
    const { servers, channels, threads, messages } = collections;
    const records = { server: servers, channel: channels, thread: threads, message: messages };
    return (
      (await (records[kind] as unknown as Collection<{ _id: string }>).findOne({ _id })) !== null
    );
  };
  const settle = async (): Promise<void> => void (await Promise.all(jobs));
  return {
    removed,
    gone,
    erase,
    act: (random, among = OFTEN) => acts[random.pick(among)]!(random),
    relieve() {
      const before = process;
      process = killableProcess(deps);
      return before;
    },
    settle,
    forget() {
      gone.userIds.clear();
      gone.placeIds.clear();
    },
    async repeat() {
      for (const kind of KINDS) {
        for (const id of [...removed[kind]]) {
          if (await isRecorded(kind, id)) await beginRemoval(kind, id);
          else removed[kind].delete(id);
        }
      }
      for (const userId of removed.userIds) await erase(userId);
    },
    async end() {
      await settle();
      return wrong;
    },
  };
}
