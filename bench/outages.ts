/**
 * Freezes and kills each store in turn under load, and prints what readers saw: `npm run bench -- outages`. The stores
 * are its own.
 */
import type { Children } from '../services/local/children.js';
import { startLoad, type Answered } from '../test/support/openLoop.js';
import {
  isDocumented,
  openOutageArchive,
  readMix,
  runOutage,
  type Outage,
} from '../test/support/outages.js';
import { startUntilAsked } from '../test/support/startUntilAsked.js';
import { end, startService, urlOf } from '../test/support/serviceProcess.js';
import { latenciesOf } from './load/percentiles.js';
import { optionsOrExit } from './options/outages.js';

const AWAY_MS = 5_000;
const WARM_MS = 6_000;

const { rate } = optionsOrExit(process.argv.slice(2));
const { running, end: close } = startUntilAsked(startMeasured);
const measured = await running;
try {
  await new Promise((resolve) => setTimeout(resolve, WARM_MS));
  console.log(`${rate} requests a second; times in ms`);
  for (const store of ['redis', 'elasticsearch', 'mongodb'] as const) {
    for (const fault of ['frozen', 'killed'] as const) {
      const outage = await runOutage(measured, { store, fault, ms: AWAY_MS });
      console.log(JSON.stringify(row(outage)));
    }
  }
} finally {
  await close();
}

/** Starts the stores, the API, and its load. */
async function startMeasured(children: Children) {
  const archive = await openOutageArchive({ ownElasticsearch: true, children });
  const api = await startService('api', archive.env).catch(async (error: unknown) => {
    await archive.close();
    throw error;
  });
  const url = urlOf(api);
  const load = startLoad(url, rate, readMix());
  const close = async (): Promise<void> => {
    await load.stop();
    await end(api, 'SIGKILL');
    await archive.close();
  };
  return { url, load, stores: archive.stores, close };
}

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
