/**
 * `npm run trial:sync -- --seeds N [--from S]`: syncs servers of N seeds while they change.
 * `npm run trial:sync -- --kills`: kills a process at every step of some events. See docs/reliability.md.
 */
import { parseArgs } from 'node:util';
import type { Children } from '../../../services/local/children.js';
import { aBucket } from '../../support/mirrorRig.js';
import { startServers } from '../../support/startServers.js';
import { startUntilAsked } from '../../support/startUntilAsked.js';
import { runKills } from './runKills.js';
import { runSyncTrial } from './syncTrial.js';

const values = readOptions();
const [seeds, from, atOnce] = [values.seeds, values.from, values['at-once']].map(Number) as [
  number,
  number,
  number,
];
if (![seeds, from, atOnce].every((number) => Number.isSafeInteger(number) && number > 0)) {
  console.error('--seeds, --from and --at-once must be whole numbers above 0');
  process.exit(2);
}

const { running, end } = startUntilAsked(startAll);
const { urls, bucket } = await running;
Object.assign(process.env, urls);

try {
  process.exitCode = (await (values.kills ? runKills(console.log) : runSeeds())) ? 0 : 1;
} finally {
  await end();
}

/** Reads the arguments. Unknown ones end the process with a line about its usage. */
function readOptions() {
  const options = {
    seeds: { type: 'string', default: '10' },
    from: { type: 'string', default: '1' },
    'at-once': { type: 'string', default: '2' },
    kills: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  } as const;
  const usage = 'npm run trial:sync -- [--seeds N] [--from SEED] [--at-once N] | --kills';
  try {
    const { values } = parseArgs({ options });
    if (!values.help) return values;
    console.log(usage);
    process.exit(0);
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`);
    process.exit(2);
  }
}

/** Starts the missing servers, and a bucket where files are copied. */
async function startAll(children: Children) {
  const servers = await startServers(children);
  try {
    const bucket = values.kills ? undefined : await aBucket();
    const close = async (): Promise<void> => {
      await bucket?.close();
      await servers.close();
    };
    return { urls: servers.urls, bucket, close };
  } catch (error) {
    await servers.close();
    throw error;
  }
}

/** Resolves with whether the trials of all seeds ended well. */
async function runSeeds(): Promise<boolean> {
  // The files of each seed stand below a name of its own.
  const shared = bucket && { env: bucket.env, close: () => Promise.resolve() };
  const happened: Record<string, number> = {};
  const failed: number[] = [];
  const waiting = Array.from({ length: seeds }, (_, n) => from + n);
  const runWaiting = async (): Promise<void> => {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
      const began = performance.now();
      const trial = await runSyncTrial(seed, { bucket: shared }).catch((error: unknown) => ({
        happened: {},
        violations: [String(error)],
      }));
      const seconds = ((performance.now() - began) / 1_000).toFixed(1);
      for (const [name, times] of Object.entries(trial.happened)) {
        happened[name] = (happened[name] ?? 0) + times;
      }
      if (trial.violations.length > 0) failed.push(seed);
      console.log(`Seed ${seed}: ${trial.violations.length} violations (${seconds} s)`);
      for (const line of trial.violations.slice(0, 20)) console.log(`  ${line}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, runWaiting));
  console.log(JSON.stringify(happened));
  const not = failed.length > 0 ? `; not: ${failed.join(', ')}` : '';
  console.log(`${seeds - failed.length} of ${seeds} seeds ended well${not}`);
  return failed.length === 0;
}
