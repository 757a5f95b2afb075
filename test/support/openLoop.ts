import { Agent, request, type IncomingMessage } from 'node:http';
import { wasClosedIdle } from './wasClosedIdle.js';

/** A request to be sent, and the name under which its answer is judged. */
export interface Planned {
  kind: string;
  path: string;
  headers?: Record<string, string>;
}

/** The result of a request. The status is 0 where no whole answer came. */
export interface Answered extends Omit<Planned, 'headers'> {
  /** When it was sent (ms, as performance.now). */
  sentAt: number;
  ms: number;
  status: number;
  headers: IncomingMessage['headers'];
}

export interface Load {
  /** Every answer so far, in the order in which they came. */
  answers: Answered[];
  /**
   * When the oldest request was sent that is not answered yet (ms, as performance.now). Infinity where there is none.
   */
  readonly openSince: number;
  /** Stops sending. Resolves when everything is answered. */
  stop(): Promise<void>;
}

const TICK_MS = 10;
/** A request that waits so long (ms) will wait for ever. */
const HUNG_MS = 100_000;

/**
 * If every answer took so long (s), a certain number of requests would be open. Where more are open, the machine itself
 * is the limit, so further requests are left out.
 */
const LONGEST_QUEUE_S = 2.5;

/** Sends so many requests a second, however long the answers take. */
export function startLoad(url: string, perSecond: number, next: () => Planned): Load {
  const agent = new Agent({ keepAlive: true });
  const answers: Answered[] = [];
  const began = performance.now();
  let sent = 0;
  const open = new Set<{ sentAt: number }>();
  const ask = async (planned: Planned): Promise<void> => {
    const asked = { sentAt: performance.now() };
    open.add(asked);
    answers.push(await askOnce(url, planned, agent));
    open.delete(asked);
  };
  const timer = setInterval(() => {
    const due = ((performance.now() - began) / 1_000) * perSecond;
    for (; sent < due; sent += 1) if (open.size < perSecond * LONGEST_QUEUE_S) void ask(next());
  }, TICK_MS);
  return {
    answers,
    get openSince() {
      const [oldest] = open;
      return oldest?.sentAt ?? Infinity;
    },
    async stop() {
      clearInterval(timer);
      while (open.size > 0) await new Promise((resolve) => setTimeout(resolve, TICK_MS));
      agent.destroy();
    },
  };
}

/** Sends one request, and does not judge the answer. */
export function askOnce(
  url: string,
  planned: Planned,
  agent?: Agent,
  sentAt = performance.now(),
): Promise<Answered> {
  return new Promise((resolve) => {
    const end = (status: number, headers: IncomingMessage['headers']): void => {
      resolve({ ...planned, sentAt, ms: performance.now() - sentAt, status, headers });
    };
    const sent = request(
      `${url}${planned.path}`,
      { headers: planned.headers ?? {}, timeout: HUNG_MS, ...(agent && { agent }) },
      (response) => {
        response.resume();
        response.on('end', () => end(response.statusCode ?? 0, response.headers));
        response.on('error', () => end(0, {}));
      },
    );
    sent.on('timeout', () => sent.destroy());
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (wasClosedIdle(sent, error)) resolve(askOnce(url, planned, agent, sentAt));
      else end(0, {});
    });
    sent.end();
  });
}
