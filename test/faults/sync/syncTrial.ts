import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { GatewayOpcodes } from 'discord-api-types/v10';
import { restoreBackup } from '../../../services/cli/backup/restoreBackup.js';
import { writeBackup } from '../../../services/cli/backup/writeBackup.js';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { createHandlers } from '../../../services/indexer/handlers.js';
import { askToLookThrough } from '../../../services/indexer/mirror/lookThrough.js';
import type { Sync } from '../../../services/indexer/sync/runSync.js';
import { createServiceLinks } from '../../../services/indexer/views/serviceLinks.js';
import { runDue } from '../../../services/indexer/work/runMarks.js';
import { syncOf } from '../../../shared/store/syncRecords.js';
import { AT_ONCE } from '../../../shared/store/work.js';
import { requestSync } from '../../../shared/store/requestSync.js';
import { randomOperation } from '../../support/discord/history/randomOperation.js';
import type { PublicThread } from '../../support/discord/model/model.js';
import { startDiscord } from '../../support/discord/startDiscord.js';
import type { DiscordDouble, Fault } from '../../support/discord/types.js';
import { aFolder, type MirrorPlace } from '../../support/mirrorRig.js';
import { indexerDeps } from '../../support/indexerDeps.js';
import { emptyMongo, openStores, type TestStores } from '../../support/stores.js';
import { doTheRest, endLease, startTestSync } from '../../support/syncRig.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';
import { verifyNow } from '../../support/verifiedArchive.js';
import { createRandom, type Random } from '../random.js';
import { everyTrace } from '../../support/everyTrace.js';
import { compareArchive, WITHHELD } from './compareArchive.js';
import { openCopies, type Copies } from './copies.js';
import { calmGateway, disturbGateway } from './disturbGateway.js';
import { disturbServer, endAbsences } from './disturbServer.js';
import { exported, importThread } from './importThread.js';
import { killableProcess, type KillableProcess } from './killable.js';
import { addErasablePeople, type ErasablePeople } from './erasablePeople.js';
import { expectedPlaces, writersOf } from './expectedPlaces.js';
import { createOperator, type Operator } from './operator.js';
import { changeOptOutRoles, OPT_OUT_ROLE, optOutRoles } from './optOutRoles.js';
import { addQuietPeople, threadsShowing, type QuietPeople } from './quietPeople.js';
import { sendFiles } from './sendFiles.js';
import { planTrial, tellsRoles, type TrialPlan } from './trialPlan.js';
import { watchPrivacy } from './watchPrivacy.js';

/** The result of a trial. */
export interface Trial {
  /** How often each thing happened. */
  happened: Record<string, number>;
  /** What is wrong at the end, or was seen but must not be. */
  violations: string[];
}

/** How a trial is run. */
export interface TrialOptions {
  rounds?: number;
  /** The bucket to which files are copied in some seeds. Without it, all seeds copy into a folder. */
  bucket?: MirrorPlace | undefined;
}

const ROUNDS = 10;
const MOST_OPERATIONS = 25;
/** The operator erases so many people at most, so that enough of them are left. */
const MOST_ERASED = 3;
const DISTURBANCES = [
  'nothing',
  'import',
  'look',
  'stop',
  'kill',
  'relieve',
  'ask roles',
  'retry files',
  'age withheld',
  'kill workers',
  'kill workers',
];
/** A killed worker may still do so many steps. */
const MOST_STEPS = 40;
/** It is dead after this time in any case (ms). */
const DYING_MS = 200;
const FAULTS: readonly Fault[] = ['serverError', 'cut', 'cutBody', 'garbled', 'badGateway'];
/** How long the archive may take to become like the platform once nothing changes any more (ms). */
const SETTLE_MS = 240_000;

/**
 * Syncs a server of a seed while it changes. People talk, moderators delete and hide, members opt out, the roles by
 * which they do so are renamed and deleted, the operator erases and deletes, exports are imported, connections end,
 * events come late or twice, and processes that sync, build, copy and remove are stopped, killed, and replaced by
 * others. At the end, the archive has to be like what everybody may see of the server, without what the operator
 * removed. The same seed gives the same operations, but their timing differs.
 */
export function runSyncTrial(
  seed: number,
  { rounds = ROUNDS, bucket }: TrialOptions = {},
): Promise<Trial> {
  return withTemporaryFolder((folder) => runIn(join(folder, 'backup'), seed, { rounds, bucket }));
}

async function runIn(
  backup: string,
  seed: number,
  { rounds, bucket }: TrialOptions & { rounds: number },
): Promise<Trial> {
  const random = createRandom(seed);
  const plan = planTrial(random, seed);
  const stores = await openStores();
  const discord = await startDiscord(plan.discord);
  const place = bucket && plan.copiesToBucket ? bucket : await aFolder();
  const copies = openCopies(stores, discord, place);
  const links = createServiceLinks({
    publicUrl: 'https://archive.example',
    cdnUrl: discord.cdnUrl,
  });
  const deps = { ...indexerDeps(stores), links, mirror: await copies.newMirror() };
  await askToLookThrough(deps);
  const builders = createBuilders(deps);
  builders.start();
  try {
    const trial = new SyncTrial({ plan, random, stores, deps, discord, copies, builders, backup });
    return await trial.run(rounds);
  } finally {
    await builders.stop();
    await copies.close();
    await discord.close();
    await stores.close();
  }
}

/** Processes that do all marks, as indexers do, while they are started. */
interface Builders {
  start(): void;
  /** Lets another process take the place of the first, which goes on. Returns that first one, for the trial to kill. */
  relieve(): KillableProcess;
  stop(): Promise<void>;
}

const BUILDERS = 2;

function createBuilders(deps: IndexerDeps): Builders {
  let isStarted = false;
  const alive: KillableProcess[] = [];
  let building: Promise<void>[] = [];
  const build = async (process: KillableProcess): Promise<void> => {
    while (isStarted && !process.isDead) {
      // After a failure, it tries again, as an indexer does.
      if ((await runDue(process.deps).catch(() => false)) !== true) await pause(20);
    }
  };
  const add = (): void => {
    const process = killableProcess(deps);
    alive.push(process);
    building.push(build(process));
  };
  return {
    start() {
      isStarted = true;
      for (let left = BUILDERS; left > 0; left -= 1) add();
    },
    relieve() {
      add();
      return alive.shift()!;
    },
    async stop() {
      isStarted = false;
      alive.length = 0;
      await Promise.all(building);
      building = [];
    },
  };
}

/** Changes that may open forums to everybody. */
const OPENING: ReadonlySet<string> = new Set([
  'channelCreated',
  'channelUpdated',
  'roleUpdated',
  'guildUpdated',
]);

/**
 * The threads that were never public. A thread leaves this set when everybody may read it. A new thread comes into it
 * where its forum was never public.
 */
function neverPublic({ model }: DiscordDouble): ReadonlySet<string> {
  const threadIds = new Set(model.threads.keys());
  const opened = new Set<string>();
  const look = (): void => {
    for (const { id } of model.publicForums()) opened.add(id);
    for (const { thread } of model.publicThreads()) threadIds.delete(thread.id);
  };
  look();
  model.onChange((change) => {
    if (OPENING.has(change.kind)) look();
    if (change.kind === 'threadCreated' && !opened.has(change.thread.parentId)) {
      threadIds.add(change.thread.id);
    }
  });
  return threadIds;
}

/** Names of the commands by which clients begin or resume a session. */
const SESSIONS: Record<number, string> = {
  [GatewayOpcodes.Identify]: 'sessions begun',
  [GatewayOpcodes.Resume]: 'sessions resumed, or refused',
};

interface Rig {
  plan: TrialPlan;
  random: Random;
  stores: TestStores;
  deps: IndexerDeps;
  discord: DiscordDouble;
  copies: Copies;
  builders: Builders;
  /** The folder for a backup. */
  backup: string;
}

class SyncTrial {
  readonly #rig: Rig;
  readonly #quiet: QuietPeople;
  readonly #erasable: ErasablePeople;
  readonly #operator: Operator;
  readonly #writers: ReturnType<typeof writersOf>;
  readonly #happened: Record<string, number> = {};
  readonly #exports: PublicThread[] = [];
  /** Ids of roles by which people can opt out only once the archive has found them. */
  readonly #uncounted = new Set<string>();
  #running: { process: KillableProcess; sync: Sync }[] = [];

  constructor(rig: Rig) {
    this.#rig = rig;
    const { deps, stores, discord } = rig;
    this.#quiet = addQuietPeople(discord);
    this.#erasable = addErasablePeople(discord);
    this.#operator = createOperator(deps, stores, discord);
    this.#writers = writersOf(discord.model);
  }

  async run(rounds: number): Promise<Trial> {
    const { random, deps, discord } = this.#rig;
    const { gone } = this.#operator;
    const endWatch = watchPrivacy(deps, {
      threadIds: neverPublic(discord),
      people: [this.#quiet.userIds, gone.userIds],
      placeIds: gone.placeIds,
    });
    let violations: string[] = [];
    try {
      this.#start();
      for (let round = 0; round < rounds; round += 1) {
        await this.#awaitRequests(random.below(30), random.below(100));
        await this.#change();
        await this.#operate(round / rounds);
        await this.#disturb();
        await this.#backUpOrRestore(round);
      }
      violations = await this.#settle();
    } finally {
      for (const { sync } of this.#running) await sync.stop();
      violations = [...violations, ...(await endWatch())];
    }
    this.#countSessions();
    return { happened: this.#happened, violations };
  }

  #start(): void {
    const { random, deps, stores, discord, plan } = this.#rig;
    const process = killableProcess(deps);
    const { listening, repairEveryMs } = plan;
    const listens = listening === 'switched' ? random.chance(0.5) : listening === 'always';
    const options = { optOutEntries: [OPT_OUT_ROLE], memberEveryMs: 1, repairEveryMs, listens };
    this.#running.push({ process, sync: startTestSync(process.deps, stores, discord, options) });
  }

  #note(what: string): void {
    this.#happened[what] = (this.#happened[what] ?? 0) + 1;
  }

  #countSessions(): void {
    const { commands } = this.#rig.discord.gateway;
    for (const { op } of commands) {
      const name = SESSIONS[op];
      if (name !== undefined) this.#note(name);
    }
  }

  /** Waits for so many more requests, or for so many looks. */
  async #awaitRequests(count: number, looks: number): Promise<void> {
    const { requests } = this.#rig.discord;
    const until = requests.length + count;
    for (let left = looks; requests.length < until && left > 0; left -= 1) await pause(10);
  }

  async #change(): Promise<void> {
    const { random, discord, plan } = this.#rig;
    const { gateway, model } = discord;
    for (const place of model.publicThreads()) {
      if (random.chance(0.2)) this.#exports.push(exported(place));
    }
    for (let left = random.below(MOST_OPERATIONS); left > 0; left -= 1) {
      model.clock.advance(random.below(10_000));
      const name = randomOperation(model, random);
      if (name !== null) this.#note(name);
      if (random.chance(0.05)) {
        this.#note(this.#quiet.speak(random, await this.#uncountedRoles()));
      }
      if (random.chance(0.05)) this.#note(this.#erasable.speak(random));
      if (random.chance(0.15)) this.#note(sendFiles(model, random));
      const erased = [...this.#operator.removed.userIds];
      if (erased.length > 0 && random.chance(0.15)) {
        this.#note(this.#erasable.goOn(random, random.pick(erased)));
      }
      if (random.chance(plan.roleChanges)) await this.#changeRoles();
      if (random.chance(0.05)) this.#note(`gateway: ${disturbGateway(gateway, random)}`);
      if (random.chance(0.03)) this.#note(disturbServer(model, random));
    }
    if (random.chance(0.2)) discord.faults.next(random.pick(FAULTS));
  }

  /** The roles by which people cannot opt out yet. */
  async #uncountedRoles(): Promise<ReadonlySet<string>> {
    if (this.#uncounted.size > 0) {
      const { sync } = this.#rig.deps.collections;
      const server = await syncOf(sync, 'server').findOne({ _id: this.#quiet.guild.id });
      for (const id of server?.optOutRoles ?? []) this.#uncounted.delete(id);
    }
    return this.#uncounted;
  }

  /**
   * Changes roles by which people opt out. A role counts from the next look at the server on. But where that look may
   * have found a role of that name, and finds a person with a role that it does not know, it looks once more.
   */
  async #changeRoles(): Promise<void> {
    const { random, deps, discord } = this.#rig;
    const { guild } = this.#quiet;
    await this.#awaitQuiet();
    const records = await deps.collections.optOuts.find().toArray();
    const known = new Set(guild.roles.keys());
    const before = optOutRoles(guild).map(({ id }) => id);
    const isNoneFound = before.every((id) => this.#uncounted.has(id));
    this.#note(changeOptOutRoles(discord.model, guild, random));
    for (const { id } of optOutRoles(guild)) {
      if (!before.includes(id) && (known.has(id) || isNoneFound)) this.#uncounted.add(id);
    }
    this.#quiet.judge(records);
  }

  /** Has the operator remove something. The server is removed late, because nothing of it is archived after that. */
  async #operate(progress: number): Promise<void> {
    const { random, plan } = this.#rig;
    if (!plan.removes || !random.chance(0.3)) return;
    if (random.chance(0.4)) await this.#erase();
    else {
      const isLate = plan.removesServer && progress > 0.7;
      this.#note(await this.#operator.act(random, isLate ? ['server'] : undefined));
    }
  }

  /** Erases somebody, perhaps once more. */
  async #erase(): Promise<void> {
    const { random, discord } = this.#rig;
    const { gone, removed } = this.#operator;
    const anybody = [...discord.model.users.values()].filter(({ isBot }) => !isBot);
    const { id: userId } = random.pick([
      random.pick(anybody),
      ...anybody.filter(({ id }) => this.#erasable.userIds.includes(id)),
      ...anybody.filter(({ id }) => this.#quiet.has(id)),
    ]);
    if (removed.userIds.size >= MOST_ERASED && !removed.userIds.has(userId)) return;
    await this.#awaitQuiet();
    // Words of somebody who must not be shown are not shown before the erasure is done either.
    if (this.#quiet.userIds.has(userId)) gone.userIds.add(userId);
    this.#quiet.free(userId);
    this.#note('operator: erase');
    // Their files are being copied, or wait to be.
    if (random.chance(0.5)) this.#note(sendFiles(discord.model, random, [userId]));
    await this.#operator.erase(userId);
  }

  async #disturb(): Promise<void> {
    const { random, deps, copies } = this.#rig;
    const what = random.pick(DISTURBANCES);
    this.#note(what);
    if (what === 'import') await this.#import();
    else if (what === 'look') await requestSync(deps.collections, {});
    else if (what === 'ask roles') await this.#ageRoles();
    else if (what === 'retry files') await copies.retry(deps);
    else if (what === 'age withheld') await this.#ageWithheld();
    else if (what === 'kill workers') await this.#killWorkers();
    else if (what !== 'nothing') await this.#relieve(what);
  }

  async #backUpOrRestore(round: number): Promise<void> {
    const { plan, deps, stores, builders, backup } = this.#rig;
    if (round === plan.backup?.madeIn) {
      this.#note('backup');
      await writeBackup(stores.mongo, backup);
    }
    if (round !== plan.backup?.restoredIn) return;
    this.#note('restore');
    // Nothing else writes into an archive while it is emptied.
    await this.#operator.settle();
    for (const { sync } of this.#running.splice(0)) await sync.stop();
    await builders.stop();
    await emptyMongo(stores.mongo);
    this.#operator.forget();
    builders.start();
    await restoreBackup(stores, backup);
    this.#quiet.judge(await deps.collections.optOuts.find().toArray());
    await createHandlers(deps)['reindex-views']({});
    await this.#operator.repeat();
    this.#start();
  }

  async #import(): Promise<void> {
    const { deps } = this.#rig;
    const { sync } = deps.collections;
    // How many random numbers are used depends on what is known by now. So they come from a separate source.
    const random = createRandom(this.#rig.random.below(2 ** 31));
    // An export shows people until the sync knows that they are left out.
    const isKnown = await this.#areQuietKnown();
    for (const place of random.shuffle(this.#exports).slice(0, isKnown ? 3 : 0)) {
      // The sync would leave a thread that it has never heard of as the export tells it.
      if (await sync.findOne({ _id: place.thread.id })) await importThread(deps, random, place);
    }
  }

  /** Whether the archive leaves out everybody who must not be shown. */
  async #areQuietKnown(): Promise<boolean> {
    const quiet = [...this.#quiet.userIds];
    const { optOuts } = this.#rig.deps.collections;
    return (await optOuts.countDocuments({ userId: { $in: quiet } })) === quiet.length;
  }

  /** In some cases, waits a while until the archive knows who must not be shown. It has hardly begun in most rounds. */
  async #awaitQuiet(): Promise<void> {
    if (!this.#rig.random.chance(0.5)) return;
    for (let left = 200; left > 0 && !(await this.#areQuietKnown()); left -= 1) await pause(10);
  }

  /** Makes everybody's roles old. Roles that are told by events do not need it. */
  async #ageRoles(): Promise<void> {
    if (tellsRoles(this.#rig.plan)) return;
    const longAgo = new Date(Date.now() - 7_200_000);
    const { sync } = this.#rig.deps.collections;
    await sync.updateMany({ kind: 'member' }, { $set: { checkedAt: longAgo } });
  }

  /** Has the messages of withheld forums removed, as if half a day had passed. */
  async #ageWithheld(): Promise<void> {
    const { collections } = this.#rig.deps;
    const isWithheld = { withheldAt: { $exists: true } };
    const longAgo = { $set: { withheldAt: new Date(Date.now() - 86_400_000) } };
    const { matchedCount } = await collections.channels.updateMany(isWithheld, longAgo);
    if (matchedCount > 0) await requestSync(collections, {}, 'withheld');
  }

  /**
   * Kills a process that builds and copies, and one that runs the operator's jobs, each after a few more steps. Others
   * take over. All claims end meanwhile, also those of processes that are alive, as if these had been paused.
   */
  async #killWorkers(): Promise<void> {
    const { random, deps, builders } = this.#rig;
    const killed = [builders.relieve(), this.#operator.relieve()];
    for (const process of killed) process.kill(random.below(MOST_STEPS));
    await pause(DYING_MS);
    for (const process of killed) process.kill();
    const { work } = deps.collections;
    await work.updateMany({ claim: { $exists: true } }, { $set: { due: AT_ONCE } });
  }

  /** Lets another process take over: from one that is stopped or killed, or from one that it waited for. */
  async #relieve(how: string): Promise<void> {
    if (how === 'relieve') this.#start();
    const first = this.#running.shift();
    if (how === 'kill') first?.process.kill();
    await first?.sync.stop();
    if (how === 'kill') await endLease(this.#rig.deps);
    if (how !== 'relieve') this.#start();
  }

  /**
   * Waits until the archive is like the platform. Resolves with what is still wrong after a long time, or what
   * verification finds.
   */
  async #settle(): Promise<string[]> {
    const { plan, deps, discord, stores, builders } = this.#rig;
    discord.faults.clear();
    calmGateway(discord.gateway);
    endAbsences(discord.model);
    if (plan.listening !== 'always' || !plan.endsWithSame) await this.#relieve('stop');
    await this.#ageRoles();
    const failed = await this.#operator.end();
    if (failed.length > 0) return failed;
    const { removed } = this.#operator;
    const trialled = { removed, writers: this.#writers, quiet: this.#quiet.userIds };
    let wrong: string[] = [];
    for (const end = Date.now() + SETTLE_MS; Date.now() < end;) {
      await pause(100);
      await this.#hurryMessages();
      wrong = await compareArchive(deps, discord, trialled);
      if (wrong.length === 0) break;
      // A look leaves threads that readers may still see.
      if (wrong.some((line) => line.endsWith(WITHHELD))) await this.#ageWithheld();
    }
    if (wrong.length > 0) return wrong;
    for (const { sync } of this.#running.splice(0)) await sync.stop();
    await builders.stop();
    await doTheRest(deps);
    await stores.refreshSearch();
    const { differences } = await verifyNow(deps, { patienceMs: 2_000 });
    return [
      ...differences.map(({ kind, id, detail }) => `verify: ${kind} ${id} ${detail}`),
      ...(await this.#hiddenWords()),
      ...(await this.#traces()),
      ...(await this.#wrongCopies()),
    ];
  }

  /** Shown files that are not copied, and copies of others. */
  async #wrongCopies(): Promise<string[]> {
    const { deps, discord, copies } = this.#rig;
    const { removed } = this.#operator;
    const { threads } = deps.collections;
    const kept = new Set(await threads.distinct('_id', { deleted: { $ne: true } }));
    const { places } = expectedPlaces(discord.model, removed, this.#writers);
    const shown = places.filter(({ thread }) => kept.has(thread.id));
    return copies.check(deps, { places: shown, userIds: removed.userIds });
  }

  /** Bodies that show words of people who are left out or erased. */
  #hiddenWords(): Promise<string[]> {
    const { deps, discord } = this.#rig;
    const [quiet, erasable] = [this.#quiet, this.#erasable];
    const erased = [...this.#operator.removed.userIds];
    const words = [
      ...[...quiet.userIds, ...erased.filter((id) => quiet.has(id))].map((id) => quiet.wordsOf(id)),
      ...erased.filter((id) => erasable.userIds.includes(id)).map((id) => erasable.wordsOf(id)),
    ];
    return threadsShowing(deps, discord, words);
  }

  /** Whatever in all stores holds the id of somebody who was erased. */
  async #traces(): Promise<string[]> {
    const texts = await everyTrace(this.#rig.stores);
    return [...this.#operator.removed.userIds].flatMap((userId) =>
      texts
        .filter((text) => text.includes(userId))
        .map((text) => `${userId} was erased, but is in ${text.slice(0, 300)}`),
    );
  }

  /** Has messages that are to be read again soon read now. */
  async #hurryMessages(): Promise<void> {
    const { sync } = this.#rig.deps.collections;
    await sync.updateMany({ kind: 'message' }, { $set: { dueAt: new Date(0) } });
  }
}
