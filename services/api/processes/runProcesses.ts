import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Logger } from '../../../shared/platform/logger.js';
import { stopOnSignal } from '../../../shared/platform/shutdown.js';
import { sumOfProcesses } from './sumOfProcesses.js';
import { restMs } from './restMs.js';

/** A process that ends sooner after its start (ms) probably cannot run at all. Its replacement waits longer. */
const STEADY_MS = 30_000;
/** After SIGTERM, a process ends within 10 seconds. One that is frozen does not, and is killed after this time (ms). */
const KILL_AFTER_MS = 11_000;
const STOP_LIMIT_MS = KILL_AFTER_MS + 2_000;

/**
 * Runs `count` processes of the API until a signal stops them. They listen on the same address, and new connections go
 * to each of them in turn. A process that ends by itself is replaced. At first only one process is started. Where it
 * ends before it listens, this process ends with the same exit code.
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
      // Ctrl-C reaches all processes of a terminal. This one may hear of the other's end before it handles its own signal.
      if (!isListening) process.exit(isAskedToEnd(signal) ? 0 : code || 1);
      const quick = performance.now() - startedAt < STEADY_MS ? quickEnds : 0;
      const ended = { ended: worker.process.pid, code, signal, restMs: restMs(quick) };
      logger.error(ended, 'A process of the API ended; another one takes its place');
      setTimeout(() => isStopping || start(quick + 1), ended.restMs);
    });
    return worker;
  };
  const startOthers = (): void => {
    // The first process may begin to listen although it is being stopped. Nobody would stop a process that starts now.
    if (isStopping) return;
    for (let more = count - 1; more > 0; more -= 1) start();
  };
  const stop = async (): Promise<void> => {
    isStopping = true;
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.all(workers.map(stopWorker));
  };
  // The limit of the step is that of the whole stop. A shorter one would cut the step short, and that counts as an
  // orderly stop even if some process does not end.
  const step = { name: 'stop the processes', run: stop, limitMs: STOP_LIMIT_MS };
  stopOnSignal([step], logger, STOP_LIMIT_MS);
  await once(start(), 'listening');
  isListening = true;
  startOthers();
}

/** Stops a process by SIGTERM. Rejects where it ends with another exit code than 0, or has to be killed. */
async function stopWorker(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const ended = once(worker, 'exit');
  worker.process.kill('SIGTERM');
  const timer = setTimeout(() => worker.process.kill('SIGKILL'), KILL_AFTER_MS);
  const [code, signal] = (await ended) as [number | null, string | null];
  clearTimeout(timer);
  if (code !== 0 && !isAskedToEnd(signal)) {
    throw new Error(`Process ${worker.process.pid} ended with ${signal ?? code}`);
  }
}

/**
 * Whether a process was ended by the signal of an orderly stop. A process that is still starting handles no signal yet. So
 * it is ended by SIGTERM, or by the SIGINT that Ctrl-C sends to all processes of a terminal.
 */
function isAskedToEnd(signal: string | null): boolean {
  return signal === 'SIGTERM' || signal === 'SIGINT';
}
