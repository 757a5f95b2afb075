import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Logger } from '../../../shared/platform/logger.js';
import { stopOnSignal } from '../../../shared/platform/shutdown.js';
import { sumOfProcesses } from './metricsSum.js';
import { restMs } from './restMs.js';

/** Where a process has lived for so long (ms), its end has nothing to do with its start. */
const STEADY_MS = 30_000;
/** A process ends within 10 seconds after SIGTERM. One that is frozen does not, and is killed after this time (ms). */
const KILL_AFTER_MS = 11_000;
const STOP_LIMIT_MS = KILL_AFTER_MS + 2_000;

/**
 * Runs `count` processes of the API until a signal stops them. They share one address, and new connections go to each
 * in turn. A process that ends by itself is replaced. Where the first process ends before it listens, this process
 * starts no others, and ends with the same exit code.
 */
export async function runProcesses(count: number, logger: Logger): Promise<void> {
  const includeInSum = sumOfProcesses();
  let isListening = false;
  let isStopping = false;
  const start = (quickEnds = 0): Worker => {
    const startedAt = performance.now();
    const worker = cluster.fork();
    includeInSum(worker);
    worker.once('exit', (code: number | null, signal: string | null) => {
      if (isStopping) return;
      if (!isListening) process.exit(code || 1);
      const quick = performance.now() - startedAt < STEADY_MS ? quickEnds : 0;
      const ended = { ended: worker.process.pid, code, signal, restMs: restMs(quick) };
      logger.error(ended, 'A process of the API ended; another one takes its place');
      setTimeout(() => isStopping || start(quick + 1), ended.restMs);
    });
    return worker;
  };
  const stop = async (): Promise<void> => {
    isStopping = true;
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.all(workers.map(stopWorker));
  };
  // The step is never cut short, because that counts as an orderly stop.
  const step = { name: 'stop the processes', run: stop, limitMs: STOP_LIMIT_MS };
  stopOnSignal([step], logger, STOP_LIMIT_MS);
  await once(start(), 'listening');
  isListening = true;
  for (let more = count - 1; more > 0; more -= 1) start();
}

/** Stops a process. Rejects where it does not end as asked. */
async function stopWorker(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const ended = once(worker, 'exit');
  worker.process.kill('SIGTERM');
  const timer = setTimeout(() => worker.process.kill('SIGKILL'), KILL_AFTER_MS);
  const [code, signal] = (await ended) as [number | null, string | null];
  clearTimeout(timer);
  // A process that was still starting is ended by the signal itself.
  if (code !== 0 && signal !== 'SIGTERM') {
    throw new Error(`Process ${worker.process.pid} ended with ${signal ?? code}`);
  }
}
