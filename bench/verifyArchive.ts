/**
 * Measures a verification of a generated archive without faults: `npm run bench -- verifyArchive`. It shows how long
 * the verification takes, and the memory of the process that does it.
 */
import { pino } from 'pino';
import { verifyArchive } from '../services/indexer/verify/verifyArchive.js';
import { indexerDeps } from '../test/support/indexerDeps.js';
import { openArchive, removeArchive } from './archive/openArchive.js';
import { openStores } from './archive/openStores.js';
import { optionsOrExit } from './options/verifyArchive.js';

const { messages, database, drop } = optionsOrExit(process.argv.slice(2));
// Without a name, a database is made and dropped.
const stores = await openStores(database ?? `bench_verify_${process.pid}`);
const deps = indexerDeps({ ...stores, logger: pino({ level: 'error' }) });
try {
  await openArchive(stores, { messages, withSearch: true });
  await measure();
} finally {
  if (drop || database === undefined) await removeArchive(stores);
  await stores.close();
}

async function measure(): Promise<void> {
  const started = performance.now();
  const { user, system } = process.cpuUsage();
  const report = await verifyArchive(deps);
  const cpu = process.cpuUsage({ user, system });
  console.log(JSON.stringify(report.checked));
  console.log(`Clean: ${report.clean}, differences: ${JSON.stringify(report.counts)}`);
  console.log(`Seconds: ${((performance.now() - started) / 1_000).toFixed(1)}`);
  console.log(`CPU seconds of this process: ${((cpu.user + cpu.system) / 1e6).toFixed(1)}`);
  console.log(`Most memory: ${Math.round(process.resourceUsage().maxRSS / 1_024)} MB`);
}
