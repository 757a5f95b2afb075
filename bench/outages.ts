/** Freezes and kills each store in turn under load, and prints what readers saw: `outages [requests a second]`. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeDataDir } from '../services/local/elasticsearchFolder.js';
import { startLoad, type Answered } from '../test/support/openLoop.js';
import {
  isDocumented,
  prepareArchive,
  readMix,
  runOutage,
  type Outage,
} from '../test/support/outages.js';
import { startOwnStore } from '../test/support/ownStore.js';
import { startProcess } from '../test/support/serviceProcess.js';

const AWAY_MS = 5_000;
const WARM_MS = 6_000;

const folder = await mkdtemp(join(tmpdir(), 'forum-archive-outages-'));
const stores = {
  mongodb: await startOwnStore('mongodb', folder),
  redis: await startOwnStore('redis', folder),
  elasticsearch: await startOwnStore('elasticsearch', folder),
};
const archive = await prepareArchive(stores);
const api = startProcess('api', archive.env);
const url = String((await api.logged('Listening'))['url']);
const perSecond = Number(process.argv[2] ?? 500);
const load = startLoad(url, perSecond, readMix());
await new Promise((resolve) => setTimeout(resolve, WARM_MS));
console.log(`${perSecond} requests a second; times in ms`);
for (const store of ['redis', 'elasticsearch', 'mongodb'] as const) {
  for (const fault of ['frozen', 'killed'] as const) {
    const outage = await runOutage({ url, load, stores }, { store, fault, ms: AWAY_MS });
    console.log(JSON.stringify(row(outage)));
  }
}
await load.stop();
api.kill('SIGTERM');
await api.exited;
await archive.close();
for (const store of Object.values(stores)) await store.close();
await removeDataDir(folder);

function row({ store, fault, answers, known, recoveryMs }: Outage) {
  const wrong = (answer: Answered) => !isDocumented(answer, store) && !isDocumented(answer, null);
  return {
    ...{ store, fault, requests: answers.length },
    refused: answers.filter(({ status }) => status === 503).length,
    undocumented: answers.filter(wrong).length,
    slowest: Math.round(Math.max(...answers.map(({ ms }) => ms))),
    p99OnceKnown: Math.round(quantile(known, 0.99)),
    recovery: Math.round(recoveryMs),
  };
}

function quantile(answers: Answered[], share: number): number {
  const times = answers.map(({ ms }) => ms).sort((a, b) => a - b);
  return times[Math.floor(times.length * share)] ?? 0;
}
