/**
 * Measures what hostile questions to the sample archive cost Elasticsearch: `npm run bench -- hostileSearch`. The cost
 * is the CPU time of its process, so it must run on this machine. Then measures what another reader sees while ten
 * connections ask hostile questions.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { searchArchive } from '../test/support/searchArchive.js';
import { suggestTitles } from '../services/api/search/suggestTitles.js';
import { Turns } from '../services/api/turns.js';
import type { SearchParams } from '../shared/contract/search.js';
import { startArchive } from '../test/support/archive.js';
import { searchParams, UNLIMITED } from '../test/support/searchDocuments.js';
import { startProcess } from '../test/support/serviceProcess.js';
import { hostileQuestion, KINDS, ORDINARY, wordsOf, type Question } from './hostileQuestions.js';
import { latenciesOf, type Latencies } from './load/percentiles.js';
import { optionsOrExit } from './options/hostileSearch.js';

const { questions, seconds, onlyAttacks } = optionsOrExit(process.argv.slice(2));
const ROUNDS = 5;
const WARM_UP = 15;

const ATTACKS: Record<string, () => Question> = {
  '32 words of 15 letters': () => ({ q: wordsOf(32, 15), params: {} }),
  '8 words of 60 letters, minScore 0': () => ({ q: wordsOf(8, 60), params: { minScore: 0 } }),
  '8 words of 15 letters': () => ({ q: wordsOf(8, 15), params: {} }),
  '8 words of 12 letters, minScore 0': () => ({ q: wordsOf(8, 12), params: { minScore: 0 } }),
};

const archive = await startArchive();
try {
  const imported = await archive.cli('import', 'sample', '--wait');
  if (imported.code !== 0) throw new Error(imported.stderr);
  if (!onlyAttacks) await measureCosts();
  await measureAttacks();
} finally {
  await archive.close();
}

async function measureCosts(): Promise<void> {
  const { elasticsearch, mongo } = archive.api.stores;
  const deps = { elasticsearch, namespace: mongo.namespace, turns: new Turns() };
  const pid = await processOf();
  const ask = async ({ q, params }: Question): Promise<void> => {
    // A question that fails, because it takes too long, has a cost as well.
    await (
      params === 'suggest'
        ? suggestTitles(deps, { q }, UNLIMITED)
        : searchArchive(deps, searchParams(q, params), UNLIMITED)
    ).catch(() => undefined);
  };
  const costOf = async (question: Question): Promise<number> => {
    const costs = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = cpuMs(pid);
      await ask(question);
      costs.push(cpuMs(pid) - before);
    }
    // The least cost counts. When a question is new, Java compiles the code for it in the same process.
    return Math.min(...costs);
  };
  const kinds = Object.entries(KINDS);
  for (let n = 0; n < WARM_UP; n += 1) for (const [, question] of kinds) await ask(question);
  console.log('| question | CPU time (ms) |');
  for (const [kind, question] of kinds) row(kind, await costOf(question));
  const madeUp = Array.from({ length: questions }, (_, n) => hostileQuestion(n));
  const costs = [];
  for (const question of madeUp) costs.push({ question, ms: await costOf(question) });
  costs.sort((a, b) => a.ms - b.ms);
  row(`${costs.length} made up: median`, costs[costs.length >> 1]!.ms);
  row('the most of these', costs.at(-1)!.ms);
  console.log(`the costliest: ${JSON.stringify(costs.at(-1)!.question)}`);
}

function row(name: string, ms: number): void {
  console.log(`| ${name} | ${ms.toFixed(1)} |`);
}

async function processOf(): Promise<number> {
  const { nodes } = await archive.api.stores.elasticsearch.nodes.info({ metric: 'process' });
  return Object.values(nodes)[0]!.process!.id;
}

/** How much CPU time all threads of a process have used so far (ms). */
function cpuMs(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return (
    tasks.reduce((sum, task) => sum + nanoseconds(`/proc/${pid}/task/${task}/schedstat`), 0) / 1e6
  );
}

function nanoseconds(path: string): number {
  try {
    return Number(readFileSync(path, 'utf8').split(' ')[0]);
  } catch {
    return 0; // The thread has just ended.
  }
}

async function measureAttacks(): Promise<void> {
  const { mongodbUrl } = archive.api.stores;
  const env = { MONGODB_URL: mongodbUrl, PORT: '0', RATE_LIMIT_DISABLED: 'false' };
  const api = startProcess('api', env);
  try {
    const url = String((await api.logged('Listening'))['url']);
    await read(url, '127.0.0.9', 2);
    console.log('\n| attack | its answers | p50, p99 of another reader (ms) | p99 against rest |');
    for (const [n, [name, question]] of Object.entries(ATTACKS).entries()) {
      // Each attack comes from an address of its own, whose limit is untouched.
      const rest = await read(url, `127.0.1.${n + 1}`, seconds);
      const until = performance.now() + seconds * 1_000;
      const attack = attackWith(url, `127.0.2.${n + 1}`, question, until);
      const meanwhile = await read(url, `127.0.3.${n + 1}`, seconds);
      const ratio = (meanwhile.p99 / rest.p99).toFixed(2);
      console.log(
        `| ${name} | ${JSON.stringify(await attack)} | ${shown(meanwhile)} | ${ratio} (${shown(rest)}) |`,
      );
    }
  } finally {
    api.kill('SIGTERM');
    await api.exited;
  }
}

/**
 * Asks over ten connections without a pause. After a 429, a connection waits a little. Counts the answers by status.
 */
async function attackWith(
  url: string,
  from: string,
  question: () => Question,
  until: number,
): Promise<Record<string, number>> {
  const answers: Record<string, number> = {};
  const connection = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (performance.now() < until) {
      const { q, params } = question();
      const status = await ask(url, from, q, params as Partial<SearchParams>, agent);
      answers[status] = (answers[status] ?? 0) + 1;
      if (status === 429) await pause(100);
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: 10 }, connection));
  return answers;
}

/**
 * Asks 20 ordinary searches a second, however long they take. Resolves with how long they took. A failure counts as
 * endless.
 */
async function read(url: string, from: string, forSeconds: number): Promise<Latencies> {
  const agent = new Agent({ keepAlive: true });
  const times = Array.from({ length: forSeconds * 20 }, async (_, n) => {
    await pause(n * 50);
    const began = performance.now();
    const status = await ask(url, from, ORDINARY[n % ORDINARY.length]!, {}, agent);
    return status === 200 ? performance.now() - began : Infinity;
  });
  const all = await Promise.all(times);
  agent.destroy();
  return latenciesOf(all);
}

function ask(
  url: string,
  localAddress: string,
  q: string,
  params: Partial<SearchParams>,
  agent: Agent,
): Promise<number> {
  const query = new URLSearchParams({ q });
  for (const [name, value] of Object.entries(params)) query.set(name, String(value));
  return new Promise((resolve, reject) => {
    const sent = get(
      `${url}/api/search?${query.toString()}`,
      { localAddress, agent },
      (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
      },
    );
    sent.on('error', reject);
  });
}

function shown({ p50, p99 }: Latencies): string {
  return `${p50.toFixed(1)}, ${p99.toFixed(1)}`;
}
