import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { phase } from './run.js';

/** The names of errors whose messages say enough. */
const TOLD = new Set(['AbortError', 'LaunchError', 'SettingsError']);

/** Starts the missing servers over a temporary data folder, which is removed when they are stopped. */
export function startTemporaryServers(name, env) {
  const dataDir = mkdtempSync(join(tmpdir(), `forum-archive-${name}-`));
  return startServers(dataDir, env, async () => {
    const { removeDataDir } = await local('elasticsearchFolder.js');
    await removeDataDir(dataDir);
  });
}

/**
 * Starts those of the three servers that are missing. `ready` resolves with the environment of a run, or with nothing
 * after a failure. `stop` stops them, also while they start, and then calls `afterStop`. A signal does the same, and
 * ends the process. So does an output that cannot be written.
 */
export function startServers(dataDir, env = process.env, afterStop = async () => {}) {
  const set = local('children.js').then(({ createChildren }) => createChildren());
  const starting = set.then((children) => start(dataDir, env, children));
  const stopAll = async () => {
    await (await set).stopAll();
    await starting.then(
      (servers) => servers.stop(),
      () => undefined,
    );
    await afterStop();
  };
  let stopping;
  const stop = () => (stopping ??= stopAll());
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => void stop().then(() => process.exit(1)));
  }
  // Whoever read the output, such as `head`, has read enough. The signal also ends the program that runs then.
  process.stdout.on('error', () => process.kill(process.pid, 'SIGTERM'));
  const use = async () => {
    const servers = await starting;
    return stopping ? undefined : runEnv(servers, dataDir, env);
  };
  return { ready: settleServers(use), stop };
}

async function start(dataDir, env, children) {
  const { ensureServers } = await local('ensureServers.js');
  const { createReport } = await local('report.js');
  return ensureServers({ dataDir, env, children, report: createReport(process.stdout) });
}

async function settleServers(start) {
  let env;
  await phase('servers', async () => {
    try {
      env = await start();
      return { code: 0, output: '' };
    } catch (error) {
      return { code: 1, output: TOLD.has(error.name) ? error.message : error.stack };
    }
  });
  return env;
}

function runEnv({ urls }, dataDir, env) {
  return {
    API_PROCESSES: '1',
    ...env,
    ...urls,
    DATA_DIR: dataDir,
  };
}

/** Loads a compiled module of the launcher. */
export function local(name) {
  return import(new URL(`../../dist/services/local/${name}`, import.meta.url));
}
