import type { Env } from './findExecutable.js';
import { describeProcess, isRunning, processId } from './processId.js';

const POLL_MS = 1000;
const MAX_STEPS = 3;

/** Calls `callback` once when the npm that started this process has ended. A killed npm does not tell its children. */
export function onNpmGone(env: Env, callback: () => void): void {
  if (env['npm_lifecycle_event'] === undefined) return;
  const npm = findNpm(process.ppid);
  if (npm === undefined) return;
  const timer = setInterval(() => {
    if (isRunning(npm)) return;
    clearInterval(timer);
    callback();
  }, POLL_MS).unref();
}

function findNpm(from: number): ReturnType<typeof processId> | undefined {
  let pid = from;
  for (let step = 0; step < MAX_STEPS && pid > 1; step += 1) {
    const { parent, command } = describeProcess(pid);
    if (/\bnp[mx]\b/.test(command)) return processId(pid);
    pid = parent;
  }
  return undefined;
}
