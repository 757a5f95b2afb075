/**
 * `npm run trial:scale -- --seed N`: causes each fault once in an archive on several members of each engine. See
 * docs/scale.md.
 */
import { parseArgs } from 'node:util';
import { printReport } from '../printReport.js';
import { runFaults } from '../runFaults.js';
import { startUntilAsked } from '../../support/startUntilAsked.js';
import { SCALE_FAULTS, SCALE_LANES } from './scaleFaults.js';
import { startScaleRig } from './scaleRig.js';

/** How long something stays away (ms). */
const AWAY_MS = 6_000;

const { values } = parseArgs({ options: { seed: { type: 'string', default: '1' } } });
const seed = Number(values.seed);
if (!Number.isSafeInteger(seed)) {
  console.error('--seed must be a whole number');
  process.exit(2);
}

const started = performance.now();
const say = (text: string): void => {
  console.log(`${((performance.now() - started) / 1_000).toFixed(1).padStart(6)} s  ${text}`);
};
say(`Seed ${seed}: starting the servers`);
const { running, end: close } = startUntilAsked(startScaleRig);
const rig = await running;
try {
  const report = await runFaults(rig, {
    seed,
    faults: SCALE_FAULTS,
    lanes: SCALE_LANES.map((lane) => lane.map((name) => ({ name, ms: AWAY_MS }))),
    writers: 6,
    restMs: 50,
    betweenMs: 5_000,
    say,
  });
  printReport(report);
  process.exitCode = report.violations.length > 0 ? 1 : 0;
} finally {
  await close();
}
