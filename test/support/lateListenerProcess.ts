/**
 * Runs processes as the API does, and prints `fork` for each one. Each prints `ready`, and listens only when it is
 * stopped. Where the first argument is the name of a signal, it ends itself by that in place of listening.
 */
import cluster from 'node:cluster';
import { createServer } from 'node:net';
import { runProcesses } from '../../services/api/processes/runProcesses.js';
import { createLogger } from '../../shared/platform/logger.js';

if (cluster.isPrimary) {
  cluster.on('fork', () => process.stdout.write('fork\n'));
  await runProcesses(3, createLogger('api', 'silent'));
} else {
  process.once('SIGTERM', () => {
    // It tells its parent that it listens only after this callback.
    createServer().listen(0, '127.0.0.1', () => setImmediate(() => cluster.worker?.disconnect()));
  });
  const [, , signal] = process.argv;
  process.stdout.write('ready\n', () => signal && process.kill(process.pid, signal));
}
