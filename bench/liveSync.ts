/** Measures the live sync against a double of the platform: `npm run bench -- liveSync --help`. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { READING } from '../test/support/discord/model/permissions.js';
import { createRandom, type Random } from '../test/faults/random.js';
import { archivedState, differences, publicState } from '../test/support/syncRig.js';
import type { FindCursor } from 'mongodb';
import { requestSync } from '../shared/store/requestSync.js';
import { stateOf } from '../shared/store/state.js';
import { syncOf } from '../shared/store/syncRecords.js';
import type { IndexerDeps } from '../services/indexer/deps.js';
import { cpuOf, cpuSeconds, listed, residentMegabytes } from './cpuTime.js';
import { generateArchive } from './generateArchive.js';
import { actAtRandom, addCommunity, texts, type Community } from './live/community.js';
import {
  isBuilt,
  QUIET,
  startLiveRig,
  syncedThreads,
  timeUntilShown,
  untilFetched,
  type LiveRig,
} from './live/liveRig.js';
import { latenciesOf } from './load/percentiles.js';
import { optionsOrExit, type LiveOptions, type LivePart } from './options/liveSync.js';
import { startProcess, stopProcess } from './processes.js';

/** How many threads the server has whose events are timed. */
const TALKING = 50;
/** The mean time between two events that are timed (ms). */
const BETWEEN_MS = 200;
/**
 * How many threads the server has that is fetched meanwhile, and how many messages the archive has that is imported
 * meanwhile.
 */
const FETCHED_BESIDE = 5_000;
const IMPORTED_BESIDE = 60_000;
const LONG_THREAD = 5_000;
const MESSAGES_OF_THREAD = 10;
const SAMPLE_EVERY_MS = 15_000;
/** The part of the threads of a first sync that are archived. */
const ARCHIVED = 0.95;

const options = optionsOrExit(process.argv.slice(2));
const PARTS: Record<LivePart, (options: LiveOptions, random: Random) => Promise<void>> = {
  rest: atRest,
  busy: whileBusy,
  burst: inBurst,
  pages: firstSync,
};
for (const part of options.parts) await PARTS[part](options, createRandom(1));

async function atRest({ events }: LiveOptions, random: Random): Promise<void> {
  let talking: Community | undefined;
  const rig = await startLiveRig(({ model }) => {
    talking = addCommunity(model, random, { name: 'Talk', sizes: alike(TALKING, 20) });
  });
  try {
    await untilFetched(rig, TALKING);
    await pause(2_000);
    tellTimes('rest', await timeEvents(rig, random, talking!, events));
  } finally {
    await rig.stop();
  }
}

async function whileBusy({ events }: LiveOptions, random: Random): Promise<void> {
  let talking: Community | undefined;
  let fetched: Community | undefined;
  const rig = await startLiveRig(({ model }) => {
    talking = addCommunity(model, random, { name: 'Talk', sizes: alike(TALKING, 20) });
    fetched = addCommunity(model, random, { name: 'Old', sizes: alike(FETCHED_BESIDE, 10) });
    model.updateRole(fetched.guildId, fetched.guildId, { permissions: 0n });
  });
  const folder = join(rig.folder, 'archive');
  await generateArchive(folder, {
    threads: IMPORTED_BESIDE / 20,
    messages: IMPORTED_BESIDE,
    seed: 1,
  });
  try {
    await untilFetched(rig, TALKING);
    const command = { args: ['import', folder], env: rig.env, stdio: QUIET };
    const cli = startProcess('cli', command);
    rig.discord.model.updateRole(fetched!.guildId, fetched!.guildId, { permissions: READING });
    while ((await syncedThreads(rig)).found <= TALKING) await pause(100);
    const times = await timeEvents(rig, random, talking!, events);
    const { left } = await syncedThreads(rig);
    tellTimes('busy', times);
    console.log(
      `  at the end: ${left} of ${FETCHED_BESIDE} threads left to fetch; the import ${cli.exitCode === null ? 'still ran' : 'had ended'}`,
    );
    await stopProcess(cli);
  } finally {
    await rig.stop();
  }
}

async function inBurst({ rate, minutes, threads }: LiveOptions, random: Random): Promise<void> {
  let talking: Community | undefined;
  const rig = await startLiveRig(({ model }) => {
    const sizes = [LONG_THREAD, ...alike(threads - 1, 5)];
    talking = addCommunity(model, random, { name: 'Talk', sizes });
  });
  try {
    await untilFetched(rig, threads);
    const text = texts(random);
    const memory: number[] = [];
    const sampler = setInterval(() => {
      memory.push(residentMegabytes(rig.indexerPid) ?? 0);
    }, SAMPLE_EVERY_MS);
    const used = cpuOf(await rig.processes());
    const began = performance.now();
    const count = Math.round(rate * 60 * minutes);
    for (let n = 0; n < count; n += 1) {
      const ahead = (n * 1_000) / rate - (performance.now() - began);
      if (ahead > 0) await pause(ahead);
      actAtRandom(rig.discord.model, random, talking!, text);
    }
    const seconds = (performance.now() - began) / 1_000;
    clearInterval(sampler);
    const endedAt = Date.now();
    const { id } = talking!.threads[0]!;
    rig.discord.model.post(id, { authorId: talking!.people[0]!, content: 'The last event' });
    while (!(await isFollowed(rig, endedAt))) await pause(50);
    const lag = (Date.now() - endedAt) / 1_000;
    const cpu = used();
    const wrong = await wrongLines(rig);
    console.log(
      `burst: ${count} events in ${seconds.toFixed(0)} s (${(count / seconds).toFixed(1)} a second) over ${threads} threads; all recorded and built ${lag.toFixed(1)} s after the last; ${wrong.length} differences`,
    );
    console.log(`  CPU seconds: ${listed(cpu)}`);
    console.log(
      `  memory of the indexer each ${SAMPLE_EVERY_MS / 1_000} s (MB): ${memory.join(' ')}`,
    );
    for (const line of wrong.slice(0, 10)) console.log(`  ${line}`);
    if (wrong.length > 0) process.exitCode = 1;
  } finally {
    await rig.stop();
  }
}

async function firstSync({ messages }: LiveOptions, random: Random): Promise<void> {
  const threads = Math.max(1, Math.round(messages / MESSAGES_OF_THREAD));
  const rig = await startLiveRig(({ model }) => {
    const old = addCommunity(model, random, {
      name: 'Old',
      sizes: alike(threads, MESSAGES_OF_THREAD),
    });
    const archived = old.threads.slice(0, Math.floor(threads * ARCHIVED));
    for (const { id } of archived) model.updateThread(id, { isArchived: true });
  });
  try {
    const { discord, indexerPid } = rig;
    while (!discord.requests.some(({ route }) => route === 'messages')) await pause(10);
    const began = { at: performance.now(), asked: discord.requests.length };
    for (let left = 1; left > 0; { left } = await syncedThreads(rig)) await pause(100);
    const seconds = (performance.now() - began.at) / 1_000;
    const asked = discord.requests.length - began.asked;
    while (!(await isBuilt(rig))) await pause(100);
    const built = (performance.now() - began.at) / 1_000;
    const refused = Object.entries(discord.limits.counts).filter(([, count]) => count > 0);
    console.log(
      `pages: ${messages} messages in ${threads} threads fetched in ${seconds.toFixed(0)} s: ${(asked / seconds).toFixed(1)} requests and ${(messages / seconds).toFixed(0)} messages a second (limit 50 requests), ${built.toFixed(0)} s until all were built`,
    );
    console.log(
      `  429s: ${refused.map(([cause, count]) => `${cause} ${count}`).join(', ') || 'none'}; CPU seconds of the indexer: ${cpuSeconds(indexerPid)?.toFixed(1)}`,
    );
    await syncAgain(rig);
  } finally {
    await rig.stop();
  }
}

/** Syncs again without any change, and shows what that asks and writes. */
async function syncAgain(rig: LiveRig): Promise<void> {
  const { discord, indexerPid } = rig;
  const { collections } = rig.mongo;
  while ((await collections.work.countDocuments({})) > 0) await pause(500);
  const stored = async (): Promise<Record<string, string>> => ({
    threads: await digest(collections.threads.find()),
    messages: await digest(collections.messages.find()),
    items: await digest(collections.threadItems.find()),
  });
  const before = await stored();
  const began = { at: performance.now(), asked: discord.requests.length };
  const cpu = cpuSeconds(indexerPid) ?? 0;
  const id = await requestSync(collections, {});
  const requests = syncOf(collections.sync, 'request');
  while (!(await requests.findOne({ _id: id, listed: true }))) await pause(50);
  const seconds = (performance.now() - began.at) / 1_000;
  const asked = discord.requests.slice(began.asked).map(({ route }) => route);
  const after = await stored();
  const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
  const marks = await collections.work.countDocuments({ kind: 'thread' });
  console.log(
    `  a second sync of it: ${asked.length} requests (${asked.join(', ')}) in ${seconds.toFixed(1)} s, ${((cpuSeconds(indexerPid) ?? 0) - cpu).toFixed(1)} CPU seconds of the indexer; changed: ${changed.join(', ') || 'nothing'}; ${marks} threads to be built`,
  );
  if (changed.length > 0 || marks > 0) process.exitCode = 1;
}

/** A digest of documents with all their fields, in the order of their ids. */
async function digest(documents: FindCursor<{ _id: string }>): Promise<string> {
  const hash = createHash('sha256');
  for await (const document of documents.sort({ _id: 1 })) hash.update(JSON.stringify(document));
  return hash.digest('hex');
}

/** Has people write at random moments. Resolves with how long it took until each message was shown (ms). */
async function timeEvents(
  rig: LiveRig,
  random: Random,
  { threads, people }: Community,
  events: number,
): Promise<number[]> {
  const { model } = rig.discord;
  const text = texts(random);
  const times: Promise<number>[] = [];
  for (let n = 0; n < events; n += 1) {
    await pause(-Math.log(1 - random.below(1_000) / 1_000) * BETWEEN_MS);
    const { id } = random.pick(threads);
    const marker = `event${n}marker`;
    model.clock.advanceTo(Date.now());
    model.post(id, { authorId: random.pick(people), content: `${marker} ${text(30)}` });
    times.push(timeUntilShown(rig, id, marker));
  }
  return Promise.all(times);
}

function tellTimes(name: string, times: number[]): void {
  const { p50, p99, max } = latenciesOf(times);
  const [median, most, greatest] = [p50, p99, max].map((ms) => `${Math.round(ms)} ms`);
  console.log(
    `${name}: ${times.length} events shown after ${median} (median), ${most} (p99), ${greatest} (most)`,
  );
}

/** Whether everything that had happened by a moment (ms since the epoch) is received, recorded and built. */
async function isFollowed(rig: LiveRig, at: number): Promise<boolean> {
  const { state } = rig.mongo.collections;
  const gateway = await stateOf(state, 'gateway').findOne({ _id: 'gateway' });
  const isReceived = (gateway?.lastEventAt?.getTime() ?? 0) >= at;
  return isReceived && gateway?.waiting === 0 && (await isBuilt(rig));
}

async function wrongLines({ mongo, discord }: LiveRig): Promise<string[]> {
  const { collections } = mongo;
  return differences(await archivedState({ collections } as IndexerDeps), publicState(discord));
}

function alike(count: number, size: number): number[] {
  return Array.from({ length: count }, () => size);
}
