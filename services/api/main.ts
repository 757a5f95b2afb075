import cluster from 'node:cluster';
import { readSettings } from '../../shared/platform/env.js';
import { exitOnWrongSetting } from '../../shared/platform/exitOnWrongSetting.js';
import { createLogger, gatheredOutput } from '../../shared/platform/logger.js';
import { processCount } from './processes/processCount.js';
import { runProcesses } from './processes/runProcesses.js';

const settings = await exitOnWrongSetting(() => readSettings());
const logger = createLogger('api', settings.LOG_LEVEL, gatheredOutput());
if (settings.DISABLE_AUTH && cluster.isPrimary) {
  logger.warn('DISABLE_AUTH is set: everyone may do everything, except pages of other sites');
}
const processes = processCount(settings);
if (cluster.isPrimary && processes > 1) {
  await runProcesses(processes, logger);
} else {
  // Loaded only here: the parent of several processes serves nothing itself, and so needs no clients of the stores.
  const { serve } = await import('./serve.js');
  await serve(settings, logger);
}
