import { setTimeout as pause } from 'node:timers/promises';
import { cpuSeconds, residentMegabytes } from '../cpuTime.js';
import { Connection } from './connection.js';
import { latenciesOf, type Latencies } from './percentiles.js';

/** Which server is asked for what, and for how long. */
export interface LoadJob {
  /** The scheme, host and port. Only http is possible. */
  url: string;
  /** The paths, which are asked for in turn, over and over. */
  paths: string[];
  headers: Record<string, string>;
  /** The status that every answer must have. */
  status: number;
  connections: number;
  warmUpSeconds: number;
  seconds: number;
  /**
   * How many requests are sent a second, however long the answers take. Without it, each connection asks again when it
   * is answered.
   */
  perSecond?: number;
  /** The processes on this machine whose CPU time and memory are read. */
  pids: Record<string, number>;
}

/** What a run of load measured. */
export interface LoadResult extends Latencies {
  /** How many answers a second came while the clock ran. */
  perSecond: number;
  /** How many requests were due while the clock ran. */
  requests: number;
  /** How many requests, warm-up included, got no answer or one with another status. */
  failures: number;
  /** The statuses of these answers, each once. 0 stands for no answer. */
  wrongStatuses: number[];
  /** The CPU time that each process used for a request (µs). */
  cpuMicroseconds: Record<string, number>;
  /** The resident memory of each process at the end (MB). */
  megabytes: Record<string, number>;
  /** The part of one core that this client used (0 to 1). */
  clientShare: number;
}

/** Answers that come later than this after the end are failures (ms). */
const DRAIN_LIMIT_MS = 30_000;
const TICK_MS = 1;

/**
 * Loads a server. It opens all connections, and has each answered once. It warms up, and then measures. At the end, it
 * waits for the answers that are left. Latencies are those of requests that were due while the clock ran, and count from
 * then. At a constant rate, a request may be due before a connection is free for it, and may be sent only after the clock
 * has stopped. In a closed loop, a request is sent when it is due.
 */
export async function runLoad(job: LoadJob): Promise<LoadResult> {
  const connections = Array.from({ length: job.connections }, () => new Connection(job.url));
  try {
    await Promise.all(connections.map((connection) => connection.open()));
    return await measure(job, connections);
  } finally {
    for (const connection of connections) connection.close();
  }
}

async function measure(job: LoadJob, connections: Connection[]): Promise<LoadResult> {
  const recorder = new Recorder(job.status);
  const requests = requestsOf(job);
  let turn = 0;
  let open = 0;
  const ask = (connection: Connection, due: number, onEnd: () => void): void => {
    open += 1;
    turn = turn + 1 === requests.length ? 0 : turn + 1;
    connection.send(requests[turn]!, (status) => {
      open -= 1;
      recorder.add(status, due);
      onEnd();
    });
  };
  await Promise.all(
    connections.map((one) => new Promise<void>((done) => ask(one, performance.now(), done))),
  );
  const stop = job.perSecond
    ? askAtRate(job.perSecond, connections, ask)
    : askAgain(connections, ask);
  await pause(job.warmUpSeconds * 1_000);
  const readings = readProcesses(job.pids);
  recorder.start();
  await pause(job.seconds * 1_000);
  const result = { ...recorder.stop(), ...readings(recorder.answers) };
  stop();
  const drainUntil = performance.now() + DRAIN_LIMIT_MS;
  while (open > 0 && performance.now() < drainUntil) await pause(5);
  return { ...result, ...recorder.summary(open) };
}

type Ask = (connection: Connection, due: number, onEnd: () => void) => void;

/** A closed loop: each connection asks again when it is answered. */
function askAgain(connections: readonly Connection[], ask: Ask): () => void {
  let isStopped = false;
  const loop = (connection: Connection): void => {
    if (!isStopped) ask(connection, performance.now(), () => loop(connection));
  };
  for (const connection of connections) loop(connection);
  return () => {
    isStopped = true;
  };
}

/** An open loop: requests are due at a constant rate. Where no connection is free, they wait for one. */
function askAtRate(perSecond: number, connections: readonly Connection[], ask: Ask): () => void {
  const free = [...connections];
  const waiting: number[] = [];
  const began = performance.now();
  let due = 0;
  const send = (): void => {
    while (waiting.length > 0 && free.length > 0) {
      const connection = free.shift()!;
      ask(connection, waiting.shift()!, () => {
        free.push(connection);
        send();
      });
    }
  };
  const timer = setInterval(() => {
    const now = performance.now();
    for (; due < ((now - began) / 1_000) * perSecond; due += 1)
      waiting.push(began + (due / perSecond) * 1_000);
    send();
  }, TICK_MS);
  return () => clearInterval(timer);
}

/** Counts answers while the clock runs, and keeps the latencies of requests that were due meanwhile. */
class Recorder {
  answers = 0;
  readonly #status: number;
  #times = new Float64Array(65_536);
  #timed = 0;
  #failures = 0;
  readonly #wrong = new Set<number>();
  #startedAt = Infinity;
  #stoppedAt = Infinity;

  constructor(status: number) {
    this.#status = status;
  }

  start(): void {
    this.#startedAt = performance.now();
  }

  stop(): { perSecond: number } {
    this.#stoppedAt = performance.now();
    return { perSecond: (this.answers / (this.#stoppedAt - this.#startedAt)) * 1_000 };
  }

  /** Adds an answer that has just come, or the end of a connection. `due` is when the request was due. */
  add(status: number, due: number): void {
    const now = performance.now();
    if (status !== this.#status) {
      this.#failures += 1;
      this.#wrong.add(status);
    }
    if (this.#isRunningAt(now)) this.answers += 1;
    if (!this.#isRunningAt(due)) return;
    if (this.#timed === this.#times.length) {
      const longer = new Float64Array(2 * this.#timed);
      longer.set(this.#times);
      this.#times = longer;
    }
    this.#times[this.#timed] = now - due;
    this.#timed += 1;
  }

  #isRunningAt(time: number): boolean {
    return time >= this.#startedAt && time < this.#stoppedAt;
  }

  summary(unanswered: number) {
    return {
      ...latenciesOf(this.#times.subarray(0, this.#timed)),
      requests: this.#timed,
      failures: this.#failures + unanswered,
      wrongStatuses: [...this.#wrong, ...(unanswered > 0 ? [0] : [])],
    };
  }
}

/** The requests of a job as bytes. */
export function requestsOf({
  url,
  paths,
  headers,
}: Pick<LoadJob, 'url' | 'paths' | 'headers'>): Buffer[] {
  const lines = Object.entries({ Host: new URL(url).host, ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return paths.map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\n${head}\r\n`));
}

/** Measures what processes use from now until the returned function is called. */
function readProcesses(pids: Record<string, number>) {
  const before = Object.entries(pids).map(([name, pid]) => [name, pid, cpuSeconds(pid)] as const);
  const own = process.cpuUsage();
  const began = performance.now();
  return (requests: number) => {
    const { user, system } = process.cpuUsage(own);
    const used = before.map(([name, pid, seconds]): [string, number] => [
      name,
      (((cpuSeconds(pid) ?? NaN) - (seconds ?? NaN)) * 1e6) / Math.max(requests, 1),
    ]);
    const memory = before.map(([name, pid]) => [name, residentMegabytes(pid) ?? NaN]);
    return {
      cpuMicroseconds: Object.fromEntries(used),
      megabytes: Object.fromEntries(memory) as Record<string, number>,
      clientShare: (user + system) / 1_000 / (performance.now() - began),
    };
  };
}
