/** Measures whether reads become slower as the archive grows: `npm run bench -- growth`. README.md says how and why. */
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { openArchive } from './archive/openArchive.js';
import { openStores, type BenchStores } from './archive/openStores.js';
import { listQuestions } from './listQuestions.js';
import { Connection } from './load/connection.js';
import { latenciesOf } from './load/percentiles.js';
import { requestsOf } from './load/runLoad.js';
import { ENDPOINTS } from './measurements.js';
import { optionsOrExit } from './options/growth.js';
import { readSample } from './readSample.js';
import { markdownTable } from './report.js';
import { temporaryFolder } from './processes.js';
import { startApi, type MeasuredServer } from './servers.js';

const HEADERS = { 'Accept-Encoding': 'gzip' };
const WARM_UP_REQUESTS = 5;
const MOST_RATIO = 1.2;
const READS = ['server', 'stats', 'thread', 'participants', 'similar', 'user', 'leaderboard'];

/** An archive and the API that serves it. */
interface Side {
  stores: BenchStores;
  server: MeasuredServer;
}

/** How long the answers to one question took in both archives (ms). */
interface Grown {
  name: string;
  small: Float64Array;
  large: Float64Array;
}

const options = optionsOrExit(process.argv.slice(2));
const folder = temporaryFolder();
const sides: Side[] = [];
try {
  for (const messages of [options.from, options.messages]) sides.push(await openSide(messages));
  report(await measureAll(sides[0]!, sides[1]!));
} finally {
  for (const { server, stores } of sides) {
    await server.stop();
    await stores.close();
  }
}

async function openSide(messages: number): Promise<Side> {
  const stores = await openStores(`bench_${messages}`);
  await openArchive(stores, { messages, withSearch: false });
  const env = { MONGODB_URL: stores.mongodbUrl, CACHE_MEGABYTES: '0' };
  return { stores, server: await startApi(`api-${messages}`, folder, env) };
}

/** Asks both archives in turn, request by request. So whatever else the machine does slows both. */
async function measureAll(small: Side, large: Side): Promise<Grown[]> {
  const [ofSmall, ofLarge] = [await questionsOf(small), await questionsOf(large)];
  const grown: Grown[] = [];
  for (const [name, paths] of ofLarge) {
    const askSmall = await asker(small, ofSmall.get(name)!);
    const askLarge = await asker(large, paths);
    const one: Grown = {
      name,
      small: new Float64Array(options.requests),
      large: new Float64Array(options.requests),
    };
    for (let n = -WARM_UP_REQUESTS; n < options.requests; n += 1) {
      const [smallMs, largeMs] = [await askSmall.ask(n), await askLarge.ask(n)];
      if (n < 0) continue;
      one.small[n] = smallMs;
      one.large[n] = largeMs;
    }
    askSmall.close();
    askLarge.close();
    grown.push(one);
    console.log(`${grown.length} of ${ofLarge.size}: ${name}: ${ratioOf(one).toFixed(2)}`);
  }
  return grown;
}

/** The questions for an archive: for each kind, its paths. */
async function questionsOf({ server, stores }: Side): Promise<Map<string, string[]>> {
  const sample = await readSample(server.url, undefined);
  const reads = ENDPOINTS.filter(({ name }) => READS.includes(name)).map(
    ({ name, cold }): [string, string[]] => [name, cold!(sample).paths],
  );
  const lists = await listQuestions(stores.mongo.collections);
  return new Map([...reads, ...lists.map(({ name, paths }): [string, string[]] => [name, paths])]);
}

/** Asks for paths in turn over one connection. */
async function asker({ server }: Side, paths: string[]) {
  const connection = new Connection(server.url);
  await connection.open();
  const requests = requestsOf({ url: server.url, paths, headers: HEADERS });
  return {
    /** Resolves with how long the answer took (ms). Rejects where its status is not 200. */
    async ask(n: number): Promise<number> {
      const at = (n + WARM_UP_REQUESTS) % requests.length;
      const askedAt = performance.now();
      const status = await connection.ask(requests[at]!);
      if (status !== 200) throw new Error(`GET ${paths[at]!} was answered with ${status}`);
      return performance.now() - askedAt;
    },
    close: () => connection.close(),
  };
}

/** How many times as long the large archive takes, by the medians. */
function ratioOf({ small, large }: Grown): number {
  return latenciesOf(large).p50 / latenciesOf(small).p50;
}

function report(grown: Grown[]): void {
  const table = markdownTable(
    ['Read', 'Small, p50 (ms)', 'Large, p50 (ms)', 'Ratio'],
    grown.map((one) => [
      one.name,
      latenciesOf(one.small).p50.toFixed(2),
      latenciesOf(one.large).p50.toFixed(2),
      ratioOf(one).toFixed(2),
    ]),
  );
  const above = grown.filter((one) => ratioOf(one) > MOST_RATIO).map(({ name }) => name);
  const verdict =
    above.length === 0
      ? `No read takes more than ${MOST_RATIO} times as long.`
      : `More than ${MOST_RATIO} times as long: ${above.join('; ')}.`;
  console.log(`\n${table}\n\n${verdict}`);
  const [from, to] = [options.from, options.messages].map((size) => size.toLocaleString('en'));
  writeFileSync(
    options.results,
    `# Results of \`npm run bench -- growth\`

Written by the benchmark itself: generated archives of ${from} and ${to} messages, ${options.requests} requests each, in turns, one at a time, response cache off. The load average at the end was ${loadavg()[0]!.toFixed(1)}. ${verdict}

${table}
`,
  );
  console.log(`Written to ${options.results}`);
}
