import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Runs a program in the project's folder to its end; gives its exit code and, unless shown, its output. Where this
 * process is asked to stop meanwhile, the program is asked, too. Otherwise it would go on alone.
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: Record<string, string | undefined>, show?: boolean }} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export function run(command, args, { env = process.env, show = false } = {}) {
  return new Promise((resolve) => {
    const stdio = show ? 'inherit' : ['ignore', 'pipe', 'pipe'];
    const child = spawn(command, args, { cwd: ROOT, env, stdio });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk) => (output += chunk));
    }
    child.on('error', (error) => resolve({ code: 127, output: `${command}: ${error.message}` }));
    const stop = () => child.kill('SIGTERM');
    process.on('SIGTERM', stop);
    child.on('close', (code) => {
      process.off('SIGTERM', stop);
      resolve({ code: code ?? 1, output });
    });
  });
}

/**
 * Runs the program of a dependency, such as `tsc`, without a shell or npx between.
 * @param {string} script its path under node_modules
 * @param {string[]} args
 * @param {Parameters<typeof run>[2]} [options]
 */
export function runTool(script, args, options) {
  return run(process.execPath, [`${ROOT}node_modules/${script}`, ...args], options);
}

/**
 * Runs a phase, prints its name, outcome and duration, and the output of one that failed; tells whether it passed.
 * @param {string} name
 * @param {() => Promise<{ code: number, output: string }>} work
 * @param {(text: string) => void} [log]
 */
export async function phase(name, work, log = console.log) {
  const start = performance.now();
  const { code, output } = await work();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  if (code !== 0 && output !== '') log(output.trimEnd());
  return code === 0;
}
