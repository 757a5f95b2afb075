/**
 * Measures a verification of a generated archive without faults: how long it takes, and the memory of the process that
 * does it. A named database is filled where it does not hold the archive, and is kept. Without a name, a database is
 * made and dropped.
 *
 * verifyArchive.js [--messages N] [--database NAME] [--drop]
 */
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { verifyArchive } from '../services/indexer/verify/verifyArchive.js';
import { indexerDeps } from '../test/support/indexerDeps.js';
import { openArchive, removeArchive } from './archive/openArchive.js';
import { openStores } from './archive/openStores.js';

const { values: options } = parseArgs({
  options: {
    messages: { type: 'string', default: '100000' },
    database: { type: 'string' },
    drop: { type: 'boolean', default: false },
  },
});
const stores = await openStores(options.database ?? `bench_verify_${process.pid}`);
const deps = indexerDeps({ ...stores, logger: pino({ level: 'error' }) });
try {
  await openArchive(stores, { messages: Number(options.messages), withSearch: true });
  await measure();
} finally {
  if (options.drop || options.database === undefined) await removeArchive(stores);
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
