/**
 * Measures completions of titles over a generated archive: `npm run bench -- suggest`. It shows what one reader who
 * types sees, alone and beside searches.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiServer } from '../test/support/apiServer.js';
import { randomOf } from '../test/support/generateRecords.js';
import { wordOf } from './archive/words.js';
import { latenciesOf } from './load/percentiles.js';
import { optionsOrExit } from './options/suggest.js';
import { withSearchArchive } from './searchArchive.js';

const { messages, searches, seconds, keep } = optionsOrExit(process.argv.slice(2));

/** How many completions are asked for a second. A reader types the next letter after 100 ms. */
const COMPLETIONS = 10;
const random = randomOf(13);

await withSearchArchive({ messages, keep }, measure);

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
  const [beside, found] = await Promise.all([
    every(COMPLETIONS, completion),
    every(searches, search),
  ]);
  console.log('| | answered | a second | p50 (ms) | p99 (ms) |');
  row('completions alone', alone);
  row(`completions beside ${searches} searches a second`, beside);
  row('those searches', found);
}

/** The answers, each with its time since it was due (ms). */
interface Taken {
  times: number[];
  sent: number;
  tookSeconds: number;
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
  return { times, sent: asked.length, tookSeconds: (performance.now() - began) / 1_000 };
}

/** Whether an answer came. A busy machine may refuse a question. */
async function ask(url: string): Promise<boolean> {
  const response = await fetch(url);
  await response.arrayBuffer();
  return response.ok;
}

function row(name: string, { times, sent, tookSeconds }: Taken): void {
  const { p50, p99 } = latenciesOf(times);
  const rate = (times.length / tookSeconds).toFixed(0);
  console.log(
    `| ${name} | ${times.length} of ${sent} | ${rate} | ${p50.toFixed(1)} | ${p99.toFixed(1)} |`,
  );
}
