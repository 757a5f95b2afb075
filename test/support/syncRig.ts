import { createAdmission } from '../../shared/discordApi/admission.js';
import {
  createPlatformClient,
  type PlatformClient,
  type PlatformClientOptions,
} from '../../shared/discordApi/platformClient.js';
import { same } from '../../services/indexer/records/mergeFields.js';
import { createLiveClock } from '../../services/indexer/stores/liveClock.js';
import { createHeldTeller } from '../../services/indexer/sync/noteAway.js';
import { runSync, type Sync, type SyncOptions } from '../../services/indexer/sync/runSync.js';
import type { IndexerDeps } from '../../services/indexer/deps.js';
import { stateOf, type GatewayState } from '../../shared/store/state.js';
import { syncOf } from '../../shared/store/syncRecords.js';
import { NEVER } from '../../shared/store/work.js';
import type { SyncRequest } from '../../shared/contract/admin.js';
import { requestSync } from '../../shared/store/requestSync.js';
import { until, untilEqual } from './apiServer.js';
import { doAll } from './indexerDeps.js';
import type { DiscordOptions } from './discord/settings.js';
import { startDiscord } from './discord/startDiscord.js';
import type { DiscordDouble } from './discord/types.js';
import type { Message, Thread } from './discord/model/entities.js';
import type { TestStores } from './stores.js';
import { indexerSuite } from './suiteStores.js';

/**
 * Two forums with open, archived, locked and pinned threads, but no more, because every test reads all of them. The first
 * two threads are of one forum and open.
 */
const SMALL = { seed: 7, history: { forums: 1, threads: 3, messages: 8 } };

/** Longer than any test takes (ms). */
const NEVER_MS = 3_600_000;

/** A sync that does nothing by itself, and does not listen to the gateway. */
export const QUIET: SyncOptions = {
  named: new Set(),
  gateway: null,
  optOutEntries: [],
  allEveryMs: NEVER_MS,
  repairEveryMs: NEVER_MS,
  repairAfterMs: NEVER_MS,
  memberEveryMs: NEVER_MS,
};

/** The options of a sync that a test may choose. */
export type TestSyncOptions = Partial<Omit<SyncOptions, 'named' | 'gateway'>> & {
  named?: string[];
  listens?: boolean;
};

/** Makes a client of the double, which gives answers the times that `now` takes. */
export function platformOf(
  { redis, namespace }: Pick<TestStores, 'redis'> & Pick<IndexerDeps, 'namespace'>,
  discord: DiscordDouble,
  more: Pick<PlatformClientOptions, 'now' | 'onHeld'> = {},
): PlatformClient {
  return createPlatformClient({
    url: discord.url,
    token: discord.token,
    publicUrl: 'https://archive.example',
    admission: createAdmission(redis, namespace),
    ...more,
  });
}

/** Starts a sync of the double's servers into an archive. */
export function startTestSync(
  deps: IndexerDeps,
  stores: Pick<TestStores, 'redis'>,
  discord: DiscordDouble,
  { named = [], listens = false, ...more }: TestSyncOptions = {},
): Sync {
  const clock = createLiveClock(deps.collections.state);
  const { namespace } = deps;
  const platform = platformOf({ ...stores, namespace }, discord, {
    now: () => clock.take(),
    onHeld: createHeldTeller(deps),
  });
  const gateway = listens ? { token: discord.token, isPlain: true, problem: null } : null;
  return runSync(deps, { platform, clock }, { ...QUIET, named: new Set(named), gateway, ...more });
}

/** What a test syncs: the double, and an archive of the test's own. */
export interface SyncRig {
  readonly stores: TestStores;
  readonly deps: IndexerDeps;
  /** The double that was opened last. */
  discord: DiscordDouble;
  /** The sync that was started last. It is stopped after the test. */
  sync: Sync;
  /** Starts a double. By default, it limits neither requests nor sessions. */
  open(options?: DiscordOptions): Promise<void>;
  /** Starts a sync with the double, in the process of this archive or in another one. */
  start(options?: TestSyncOptions, by?: IndexerDeps): void;
  untilSame(): Promise<void>;
}

/** A rig for each test of the suite that calls this. */
export function syncSuite(): SyncRig {
  // This comes before the stores are emptied.
  afterEach(async () => {
    await rig.sync?.stop();
    await rig.discord.close();
    delete rig.sync;
  });
  const rig: Omit<SyncRig, 'sync'> & { sync?: Sync } = {
    ...indexerSuite('renewed'),
    discord: undefined as unknown as DiscordDouble,
    async open(options) {
      rig.discord = await startDiscord({
        rateLimits: false,
        identifySpacingMs: 0,
        ...SMALL,
        ...options,
      });
    },
    start(options, by = rig.deps) {
      rig.sync = startTestSync(by, rig.stores, rig.discord, options);
    },
    untilSame: () => untilSame(rig.deps, rig.discord),
  };
  return rig as SyncRig;
}

/**
 * Does all marks until none is left. It waits for marks that another process has claimed. Marks that a killed process
 * has claimed are free once their claims have ended.
 */
export async function doTheRest(deps: IndexerDeps): Promise<void> {
  await until(async () => {
    await doAll(deps);
    return (await deps.collections.work.countDocuments({ due: { $ne: NEVER } })) === 0;
  });
}

/** Waits until the archive says what everybody may see of the double. */
export async function untilSame(deps: IndexerDeps, discord: DiscordDouble): Promise<void> {
  await untilEqual(
    async () => differences(await archivedState(deps), publicState(discord)).join('\n'),
    '',
  );
}

/** Writes a message in a thread of the double, and edits, renames and deletes something else there. */
export function talk({ model }: DiscordDouble): void {
  const { thread, messages } = model
    .publicThreads()
    .find((one) => !one.thread.isArchived && one.messages.length > 4)!;
  model.clock.advance(60_000);
  model.post(thread.id, { authorId: thread.ownerId, content: `At ${model.clock.now()}` });
  model.edit(thread.id, messages[1]!.id, { content: `Edited at ${model.clock.now()}` });
  model.updateThread(thread.id, { name: `Title of ${model.clock.now()}` });
  model.deleteMessage(thread.id, messages.at(-1)!.id);
}

/** The state of the gateway, as its process has stored it. */
export function gatewayState({ collections }: IndexerDeps): Promise<GatewayState | null> {
  return stateOf(collections.state, 'gateway').findOne({ _id: 'gateway' });
}

/** Ends the lease of a killed process at once, which would otherwise take twenty seconds. */
export async function endLease({ collections }: IndexerDeps): Promise<void> {
  const free = { $set: { until: new Date(0) } };
  await stateOf(collections.state, 'sync').updateOne({ _id: 'sync' }, free);
}

/** Waits until everything that was asked for is listed and fetched. */
export async function untilSynced({ collections }: IndexerDeps): Promise<void> {
  const { sync } = collections;
  const isToBeListed = {
    kind: 'request',
    listed: { $ne: true },
    problem: { $exists: false },
  } as const;
  await until(async () => (await syncOf(sync, 'server').findOne({ kind: 'server' })) !== null);
  await until(async () => {
    if (await syncOf(sync, 'request').findOne(isToBeListed)) return false;
    return !(await syncOf(sync, 'thread').findOne({ todo: { $exists: true } }));
  });
}

/** Waits until the archive is connected to the gateway, and has recorded every event that was sent. */
export async function untilListening(deps: IndexerDeps, discord: DiscordDouble): Promise<void> {
  await until(async () => {
    const { connectedAt, session } = (await gatewayState(deps)) ?? {};
    return !!connectedAt && !!session && session.seq === discord.gateway.lastEventOf(session.id);
  });
}

/** Asks for a sync, and waits until it is done. */
export async function syncAgain(deps: IndexerDeps, place: SyncRequest = {}): Promise<void> {
  await requestSync(deps.collections, place);
  await untilSynced(deps);
}

/** The content of a thread on the platform, in the terms of the archive's records. */
export interface Told {
  title: string;
  archived: boolean;
  locked: boolean;
  pinned: boolean;
  tags: string[];
  /** Contents by message id. A content that is no plain text is null. */
  messages: Record<string, string | null>;
}

/** The public threads of the double, by id. */
export function publicState({
  model,
}: {
  model: Pick<DiscordDouble['model'], 'publicThreads'>;
}): Record<string, Told> {
  return Object.fromEntries(
    model.publicThreads().map(({ thread, messages }) => [thread.id, toldThread(thread, messages)]),
  );
}

const AUTO_MODERATION = 24;
const LOADING = 1 << 7;

/** Whether a message may be archived. Messages that are still being made, or that report moderation, must not be. */
export function isArchivable({ type, flags }: Message): boolean {
  return type !== AUTO_MODERATION && (flags & LOADING) === 0;
}

function toldThread(thread: Thread, messages: readonly Message[]): Told {
  const shown = messages.filter(isArchivable);
  return {
    title: thread.name,
    archived: thread.isArchived,
    locked: thread.isLocked,
    pinned: thread.isPinned,
    tags: thread.appliedTagIds,
    messages: Object.fromEntries(shown.map((one) => [one.id, isPlain(one) ? one.content : null])),
  };
}

function isPlain({ content, components, poll }: Message): boolean {
  return content !== '' && components.length === 0 && !poll;
}

/** The threads of the archive that are not deleted, by id. */
export async function archivedState({ collections }: IndexerDeps): Promise<Record<string, Told>> {
  const { threads, messages } = collections;
  const isKept = { deleted: { $ne: true } };
  const state: Record<string, Told> = {};
  for (const thread of await threads.find(isKept).toArray()) {
    state[thread._id] = {
      title: thread.title,
      archived: thread.archived!,
      locked: thread.locked!,
      pinned: thread.pinned!,
      tags: thread.appliedTags!,
      messages: {},
    };
  }
  const fields = { threadId: 1, content: 1 };
  for (const { _id, threadId, content } of await messages
    .find(isKept, { projection: fields })
    .toArray()) {
    const told = state[threadId];
    if (told) told.messages[_id] = content;
  }
  return state;
}

/** The differences between two states, as lines. A content of `null` equals any other. */
export function differences(found: Record<string, Told>, expected: Record<string, Told>): string[] {
  const ids = new Set([...Object.keys(found), ...Object.keys(expected)]);
  return [...ids].flatMap((id) => {
    const [is, should] = [found[id], expected[id]];
    if (!is || !should) return [`${id} ${is ? 'should not be there' : 'is missing'}`];
    const { messages: said, ...header } = is;
    const { messages: wanted, ...wantedHeader } = should;
    const wrong = [...new Set([...Object.keys(said), ...Object.keys(wanted)])].filter(
      (one) => said[one] === undefined || (said[one] !== wanted[one] && wanted[one] !== null),
    );
    return [
      ...(same(header, wantedHeader)
        ? []
        : [`${id} ${JSON.stringify(header)}, not ${JSON.stringify(wantedHeader)}`]),
      ...wrong.map((one) => `${id}/${one} says ${said[one]}, not ${wanted[one]}`),
    ];
  });
}
