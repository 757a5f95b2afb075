import { phase, ROOT } from './run.js';

/**
 * Starts those of the three servers that are missing. `ready` resolves with the environment of a run, or with nothing
 * after a failure.
 */
export function startServers(dataDir, env = process.env) {
  let stop = async () => {};
  const start = async () => {
    const { ensureServers } = await local('ensureServers.js');
    const { createReport } = await local('report.js');
    const report = createReport(process.stdout);
    const servers = await ensureServers({ dataDir, env, report });
    stop = servers.stop;
    for (const signal of ['SIGINT', 'SIGTERM']) {
      process.on(signal, () => void stop().then(() => process.exit(1)));
    }
    return runEnv(servers, dataDir, env);
  };
  return { ready: settleServers(start), stop: () => stop() };
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
