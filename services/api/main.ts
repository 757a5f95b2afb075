import cluster from 'node:cluster';
import { readSettings } from '../../shared/platform/env.js';
import { exitOnWrongSetting } from '../../shared/platform/exitOnWrongSetting.js';
import { createLogger, gatheredOutput } from '../../shared/platform/logger.js';
import { processCount } from './processes/processCount.js';
import { runProcesses } from './processes/runProcesses.js';

const settings = await exitOnWrongSetting(() => readSettings());
const logger = createLogger('api', settings.LOG_LEVEL, gatheredOutput());
if (settings.DISABLE_AUTH && cluster.isPrimary) {
  logger.warn('DISABLE_AUTH is set: everyone may do everything');
}
const processes = processCount(settings);
if (cluster.isPrimary && processes > 1) {
  await runProcesses(processes, logger);
} else {
  // A process that only watches other processes does not load the clients of the stores.
  const { serve } = await import('./serve.js');
  await serve(settings, logger);
}
