import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { phase, ROOT } from './run.js';

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
 * ends the process.
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
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => void stop().then(() => process.exit(1)));
  }
  return { ready: settleServers(async () => runEnv(await starting, dataDir, env)), stop };
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
      return { code: 1, output: error.name === 'LaunchError' ? error.message : error.stack };
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
  return import(new URL(`file://${ROOT}dist/services/local/${name}`));
}
