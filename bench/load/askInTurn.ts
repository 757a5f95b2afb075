import { setTimeout as pause } from 'node:timers/promises';
import { Connection } from './connection.js';
import { requestsOf, type LoadJob } from './runLoad.js';

/** Which paths of a server are asked for, one request at a time, and when. */
interface Asked extends Pick<LoadJob, 'url' | 'paths' | 'headers'> {
  /** How many requests are due a second, however long the answers take. */
  perSecond: number;
  /** When the first request is due (ms, as performance.now). */
  first: number;
  /** When the last requests were due (ms, as performance.now). Infinity until that is known. */
  endedAt: () => number;
}

/**
 * Asks for paths in turn over one connection. When a request is due, and the one before it is not answered yet, it is sent
 * once that one is. All requests that were due before the end are sent, some of them after it. Resolves with the time
 * (ms) of each answer, from when its request was due. Throws where an answer is not 200.
 */
export async function askInTurn(asked: Asked): Promise<number[]> {
  const { url, paths, perSecond, first, endedAt } = asked;
  const connection = new Connection(url);
  await connection.open();
  const requests = requestsOf(asked);
  const times: number[] = [];
  try {
    for (let n = 0; ; n += 1) {
      const due = first + (n * 1_000) / perSecond;
      await pause(Math.max(0, due - performance.now()));
      if (due >= endedAt()) return times;
      const status = await connection.ask(requests[n % requests.length]!);
      if (status !== 200) throw new Error(`GET ${paths[n % paths.length]!} was answered ${status}`);
      times.push(performance.now() - due);
    }
  } finally {
    connection.close();
  }
}
