import { phase } from './run.js';

/** The names of errors whose messages say enough. */
const TOLD = new Set(['AbortError', 'LaunchError', 'SettingsError']);

/**
 * Starts those of the three servers that are missing, over a temporary data folder or the given one. `ready` resolves
 * with the environment of a run, or with nothing after a failure. `stop` stops them. So does a process that is asked to
 * end, also while they start; `ready` then never settles.
 * @param {{ env?: NodeJS.ProcessEnv, dataDir?: string }} [options]
 */
export async function startServers({ env = process.env, dataDir } = {}) {
  const support = (name) => import(new URL(`../../dist/test/support/${name}`, import.meta.url));
  const { startServers: start } = await support('startServers.js');
  const { startUntilAsked } = await support('startUntilAsked.js');
  const { running, end } = startUntilAsked((children) => start(children, { env, dataDir }));
  return { ready: settle(running, env), stop: end };
}

async function settle(running, env) {
  let found;
  await phase('servers', async () => {
    try {
      const { urls, dataDir } = await running;
      found = { API_PROCESSES: '1', ...env, ...urls, DATA_DIR: dataDir };
      return { code: 0, output: '' };
    } catch (error) {
      return { code: 1, output: TOLD.has(error.name) ? error.message : error.stack };
    }
  });
  return found;
}
