import { setTimeout as pause } from 'node:timers/promises';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import type { Sync } from '../../../services/indexer/sync/runSync.js';
import { runDue } from '../../../services/indexer/work/runMarks.js';
import { requestSync } from '../../../shared/store/requestSync.js';
import { stateOf } from '../../../shared/store/state.js';
import { randomOperation } from '../../support/discord/history/randomOperation.js';
import type { PublicThread } from '../../support/discord/model/model.js';
import { startDiscord } from '../../support/discord/startDiscord.js';
import type { DiscordDouble, Fault } from '../../support/discord/types.js';
import { doAll, indexerDeps } from '../../support/indexerDeps.js';
import { openStores, type TestStores } from '../../support/stores.js';
import { startTestSync } from '../../support/syncRig.js';
import { verifyNow } from '../../support/verifiedArchive.js';
import { createRandom, type Random } from '../random.js';
import { compareArchive } from './compareArchive.js';
import { exported, importThread } from './importThread.js';
import { killableProcess, type KillableProcess } from './killable.js';
import { watchPrivacy } from './watchPrivacy.js';

/** What a trial came to. */
export interface Trial {
  /** How often each thing happened. */
  happened: Record<string, number>;
  /** What is wrong in the end, or was seen and must not be. */
  violations: string[];
}

export const OPT_OUT_ROLE = 'no archive';
const ROUNDS = 10;
const MOST_OPERATIONS = 25;
const FAULTS: readonly Fault[] = ['serverError', 'cut', 'cutBody', 'garbled', 'badGateway'];
/** How long (ms) the archive may take to become like the platform once nothing changes any more. */
const SETTLE_MS = 240_000;

/**
 * Syncs a server of a seed while it changes: people talk, moderators delete and hide, members opt out, exports are imported,
 * and the process that syncs is stopped, killed, and relieved by another. In the end the archive has to be like what
 * everybody may see of the server. The same seed gives the same operations; what meets what in time differs.
 */
export async function runSyncTrial(seed: number, rounds = ROUNDS): Promise<Trial> {
  const random = createRandom(seed);
  const stores = await openStores();
  const deps = indexerDeps(stores);
  const discord = await startDiscord({
    ...{ seed, rateLimits: false },
    history: { guilds: 1, forums: 2, threads: 6, messages: 8, people: 8, weeks: 20 },
  });
  const loop = buildAlways(deps);
  try {
    const trial = new SyncTrial({ random, stores, deps, discord });
    return await trial.run(rounds);
  } finally {
    await loop();
    await discord.close();
    await stores.close();
  }
}

/** Does what is marked, as an indexer does; gives a function that ends it. */
function buildAlways(deps: IndexerDeps): () => Promise<void> {
  const ended = new AbortController();
  const building = (async () => {
    while (!ended.signal.aborted) {
      if ((await runDue(deps)) !== true) await pause(20);
    }
  })();
  return async () => {
    ended.abort();
    await building;
  };
}

/** Threads that nobody but some may see; those that are opened to everybody go from it. */
function neverPublic({ model }: DiscordDouble): ReadonlySet<string> {
  const threadIds = new Set(model.threads.keys());
  const look = (): void => {
    for (const { thread } of model.publicThreads()) threadIds.delete(thread.id);
  };
  look();
  model.onChange(({ kind }) => {
    if (kind === 'channelUpdated' || kind === 'roleUpdated') look();
  });
  return threadIds;
}

interface Rig {
  random: Random;
  stores: TestStores;
  deps: IndexerDeps;
  discord: DiscordDouble;
}

class SyncTrial {
  readonly #rig: Rig;
  readonly #happened: Record<string, number> = {};
  readonly #exports: PublicThread[] = [];
  #quietId = '';
  #running: { process: KillableProcess; sync: Sync }[] = [];

  constructor(rig: Rig) {
    this.#rig = rig;
  }

  async run(rounds: number): Promise<Trial> {
    const { random, deps, discord } = this.#rig;
    const userId = (this.#quietId = this.#addPeople());
    const threadIds = neverPublic(discord);
    const endWatch = watchPrivacy(deps, { threadIds, userId });
    let violations: string[] = [];
    try {
      this.#start();
      for (let round = 0; round < rounds; round += 1) {
        await this.#awaitRequests(random.below(30));
        this.#change();
        await this.#disturb();
      }
      violations = await this.#settle();
    } finally {
      for (const { sync } of this.#running) await sync.stop();
      violations = [...violations, ...(await endWatch())];
    }
    return { happened: this.#happened, violations };
  }

  /** A role by which people opt out, and somebody who carries it from the beginning, and writes. */
  #addPeople(): string {
    const { model } = this.#rig.discord;
    const place = model.publicThreads().find(({ thread }) => !thread.isLocked);
    const { guild } = place!;
    const role = model.createRole(guild.id, { name: OPT_OUT_ROLE });
    const { id } = model.createUser({ username: 'quiet' });
    model.addMember(guild.id, id, { roleIds: [role.id] });
    model.createThread(place!.channel.id, {
      ...{ name: 'Quiet', ownerId: id, starter: { content: 'Not for the archive' } },
    });
    model.post(place!.thread.id, { authorId: id, content: 'Neither is this' });
    // Nobody changes their roles: members of a server are chosen among those that it has.
    model.onChange((change) => {
      if (change.kind === 'memberUpdated' && change.member.user.id === id)
        change.member.roleIds = [role.id];
    });
    return id;
  }

  #start(): void {
    const { deps, stores, discord } = this.#rig;
    const process = killableProcess(deps);
    const options = { optOutRoles: [OPT_OUT_ROLE], memberEveryMs: 1, repairEveryMs: 20 };
    this.#running.push({ process, sync: startTestSync(process.deps, stores, discord, options) });
  }

  #note(what: string): void {
    this.#happened[what] = (this.#happened[what] ?? 0) + 1;
  }

  /** Waits until so many requests more were made, or the sync has nothing to do. */
  async #awaitRequests(count: number): Promise<void> {
    const { requests } = this.#rig.discord;
    const until = requests.length + count;
    for (let looks = 0; requests.length < until && looks < 100; looks += 1) await pause(10);
  }

  #change(): void {
    const { random, discord } = this.#rig;
    const { model } = discord;
    for (const place of model.publicThreads()) {
      if (random.chance(0.2)) this.#exports.push(exported(place));
    }
    for (let left = random.below(MOST_OPERATIONS); left > 0; left -= 1) {
      model.clock.advance(random.below(10_000));
      const name = randomOperation(model, random);
      if (name !== null) this.#note(name);
    }
    if (random.chance(0.2)) discord.faults.next(random.pick(FAULTS));
  }

  async #disturb(): Promise<void> {
    const { random, deps } = this.#rig;
    const what = random.pick(['nothing', 'import', 'look', 'stop', 'kill', 'relieve', 'ask roles']);
    this.#note(what);
    if (what === 'import') await this.#import();
    else if (what === 'look') await requestSync(deps.collections, {});
    else if (what === 'ask roles') await this.#ageRoles();
    else if (what !== 'nothing') await this.#relieve(what);
  }

  async #import(): Promise<void> {
    const { random, deps } = this.#rig;
    const { sync, optOuts } = deps.collections;
    // Until somebody is known to be left out, an export shows them.
    const isKnown = (await optOuts.countDocuments({ userId: this.#quietId })) > 0;
    for (const place of random.shuffle(this.#exports).slice(0, isKnown ? 3 : 0)) {
      // What the sync has never heard of stays as exports tell it.
      if (await sync.findOne({ _id: place.thread.id })) await importThread(deps, random, place);
    }
  }

  /** The roles of everybody were told long ago. */
  async #ageRoles(): Promise<void> {
    const longAgo = new Date(Date.now() - 7_200_000);
    const { sync } = this.#rig.deps.collections;
    await sync.updateMany({ kind: 'member' }, { $set: { checkedAt: longAgo } });
  }

  /** Another process takes over: from one that is stopped or killed, or from one that it waited for. */
  async #relieve(how: string): Promise<void> {
    if (how === 'relieve') this.#start();
    const first = this.#running.shift();
    if (how === 'kill') first?.process.kill();
    await first?.sync.stop();
    if (how === 'kill') await this.#endLease();
    if (how !== 'relieve') this.#start();
  }

  /** As if a killed process had not been heard of for long. */
  async #endLease(): Promise<void> {
    const { state } = this.#rig.deps.collections;
    await stateOf(state, 'sync').updateOne({ _id: 'sync' }, { $set: { until: new Date(0) } });
  }

  /** Waits until the archive is like the platform; gives what is still wrong after a long time, or found by verification. */
  async #settle(): Promise<string[]> {
    const { deps, discord, stores } = this.#rig;
    discord.faults.clear();
    await this.#relieve('stop');
    await this.#ageRoles();
    let wrong: string[] = [];
    for (const end = Date.now() + SETTLE_MS; Date.now() < end;) {
      await pause(100);
      wrong = await compareArchive(deps, discord, OPT_OUT_ROLE);
      if (wrong.length === 0) break;
    }
    if (wrong.length > 0) return wrong;
    for (const { sync } of this.#running.splice(0)) await sync.stop();
    await doAll(deps);
    await stores.refreshSearch();
    await doAll(deps);
    await stores.refreshSearch();
    const { differences } = await verifyNow(deps, { patienceMs: 2_000 });
    return differences.map(({ kind, id, detail }) => `verify: ${kind} ${id} ${detail}`);
  }
}
