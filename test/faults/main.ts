/**
 * `npm run faults -- --seed N --minutes M`: causes faults that a seed chooses, for some minutes. See
 * docs/reliability.md.
 */
import { parseArgs } from 'node:util';
import { FAULTS, STORE_FAULTS, OTHER_FAULTS, type FaultName } from './faultKinds.js';
import { printReport } from './printReport.js';
import { createRandom } from './random.js';
import { startRig } from './rig.js';
import { runFaults } from './runFaults.js';
import { startUntilAsked } from '../support/startUntilAsked.js';

const SHORTEST_MS = 2_000;
const LONGEST_MS = 10_000;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '4' },
  },
});
const [seed, minutes] = [Number(values.seed), Number(values.minutes)];
if (!Number.isSafeInteger(seed) || !(minutes > 0)) {
  console.error('--seed must be a whole number and --minutes a number above 0');
  process.exit(2);
}

const started = performance.now();
const say = (text: string): void => {
  console.log(`${((performance.now() - started) / 1_000).toFixed(1).padStart(6)} s  ${text}`);
};
say(`Seed ${seed}, ${minutes} minutes: starting the servers`);
const { running, end: close } = startUntilAsked((children) =>
  startRig('faults', { ownElasticsearch: true, children }),
);
const rig = await running;
try {
  const end = Date.now() + minutes * 60_000;
  const lanes = [STORE_FAULTS, OTHER_FAULTS].map((names, n) => chooseFaults(names, seed + n, end));
  const report = await runFaults(rig, {
    seed,
    faults: FAULTS,
    lanes,
    writers: 12,
    restMs: 50,
    betweenMs: 6_000,
    say,
  });
  printReport(report);
  process.exitCode = report.violations.length > 0 ? 1 : 0;
} finally {
  await close();
}

/** All kinds of faults in random order, again and again, until the time is up. */
function* chooseFaults(
  names: FaultName[],
  seed: number,
  end: number,
): Generator<{ name: FaultName; ms: number }> {
  const random = createRandom(seed);
  for (;;) {
    for (const name of random.shuffle(names)) {
      const ms = SHORTEST_MS + random.below(LONGEST_MS - SHORTEST_MS);
      if (Date.now() + ms > end) return;
      yield { name, ms };
    }
  }
}
