/**
 * Measures completions of titles over a generated archive while searches are under way. It shows what one reader who
 * types sees, alone and beside 100 searches a second. `--messages N` sets the size (default 1,000,000), `--searches N`
 * the number of searches a second, and `--seconds N` how long each part lasts (default 20). `--keep INDEX` uses the
 * archive in the index with this name, or stores it there.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { ApiServer } from '../test/support/apiServer.js';
import { randomOf } from '../test/support/generateRecords.js';
import { wordOf } from './archive/words.js';
import { latenciesOf } from './load/percentiles.js';
import { withSearchArchive } from './searchArchive.js';

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '1000000' },
    searches: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '20' },
    keep: { type: 'string' },
  },
});

/** How many completions are asked for a second. A reader types the next letter after 100 ms. */
const COMPLETIONS = 10;
const seconds = Number(values.seconds);
const random = randomOf(13);

await withSearchArchive({ messages: Number(values.messages), keep: values.keep }, measure);

async function measure({ url }: ApiServer, samples: readonly number[][]): Promise<void> {
  const word = (): string => {
    const ranks = samples[random.below(samples.length)]!;
    return wordOf(ranks[random.below(ranks.length)]!);
  };
  const completion = () => ask(`${url}/api/suggest?q=${word().slice(0, 1 + random.below(6))}`);
  const search = () => ask(`${url}/api/search?q=${word()}+${word()}`);
  // This makes Java compile the code that runs often.
  for (let n = 0; n < 300; n += 1) await Promise.all([completion(), search()]);
  const alone = await every(COMPLETIONS, completion);
  const [beside, searches] = await Promise.all([
    every(COMPLETIONS, completion),
    every(Number(values.searches), search),
  ]);
  console.log('| | answered | a second | p50 (ms) | p99 (ms) |');
  row('completions alone', alone);
  row(`completions beside ${values.searches} searches a second`, beside);
  row('those searches', searches);
}

/** The answers, each with its time since it was due (ms). */
interface Taken {
  times: number[];
  sent: number;
  seconds: number;
}

/** Asks so often a second, however long the answers take. */
async function every(perSecond: number, ask: () => Promise<boolean>): Promise<Taken> {
  const began = performance.now();
  const times: number[] = [];
  const asked = Array.from({ length: perSecond * seconds }, async (_, n) => {
    const due = began + (n * 1_000) / perSecond;
    await pause(Math.max(0, due - performance.now()));
    if (await ask()) times.push(performance.now() - due);
  });
  await Promise.all(asked);
  return { times, sent: asked.length, seconds: (performance.now() - began) / 1_000 };
}

/** Whether an answer came. A busy machine may refuse a question. */
async function ask(url: string): Promise<boolean> {
  const response = await fetch(url);
  await response.arrayBuffer();
  return response.ok;
}

function row(name: string, { times, sent, seconds: took }: Taken): void {
  const { p50, p99 } = latenciesOf(times);
  const rate = (times.length / took).toFixed(0);
  console.log(
    `| ${name} | ${times.length} of ${sent} | ${rate} | ${p50.toFixed(1)} | ${p99.toFixed(1)} |`,
  );
}
