/**
 * Freezes and kills each store in turn under load, and prints what readers saw: `npm run bench -- outages`. The stores
 * are its own.
 */
import { startLoad, type Answered } from '../test/support/openLoop.js';
import {
  isDocumented,
  openOutageArchive,
  readMix,
  runOutage,
  type Outage,
} from '../test/support/outages.js';
import { end, startService, urlOf } from '../test/support/serviceProcess.js';
import { latenciesOf } from './load/percentiles.js';
import { optionsOrExit } from './options/outages.js';

const AWAY_MS = 5_000;
const WARM_MS = 6_000;

const { rate } = optionsOrExit(process.argv.slice(2));
const archive = await openOutageArchive({ ownElasticsearch: true });
const { stores } = archive;
const api = await startService('api', archive.env);
const url = urlOf(api);
const load = startLoad(url, rate, readMix());
await new Promise((resolve) => setTimeout(resolve, WARM_MS));
console.log(`${rate} requests a second; times in ms`);
for (const store of ['redis', 'elasticsearch', 'mongodb'] as const) {
  for (const fault of ['frozen', 'killed'] as const) {
    const outage = await runOutage({ url, load, stores }, { store, fault, ms: AWAY_MS });
    console.log(JSON.stringify(row(outage)));
  }
}
await load.stop();
await end(api, 'SIGTERM');
await archive.close();

function row({ store, fault, answers, known, recoveryMs }: Outage) {
  const wrong = (answer: Answered) => !isDocumented(answer, store) && !isDocumented(answer, null);
  return {
    store,
    fault,
    requests: answers.length,
    refused: answers.filter(({ status }) => status === 503).length,
    undocumented: answers.filter(wrong).length,
    slowest: Math.round(latenciesOf(answers.map(({ ms }) => ms)).max),
    p99OnceKnown: Math.round(latenciesOf(known.map(({ ms }) => ms)).p99),
    recovery: Math.round(recoveryMs),
  };
}
