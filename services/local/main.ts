import { resolve } from 'node:path';
import { SettingsError } from '../../shared/platform/settingsError.js';
import { LaunchError } from './launchError.js';
import { onNpmGone } from './npmWatch.js';
import { createReport, secondsSince } from './report.js';
import { DIST } from './services.js';
import { start } from './start.js';

const HARD_LIMIT_MS = 45_000;
const FLAGS: ReadonlySet<string> = new Set(['--watch', '--no-sample']);

const report = createReport(process.stdout);
const stop = new AbortController();
let stopBegan: number | undefined;

function beginStop(reason: string): void {
  if (stopBegan !== undefined) return;
  stopBegan = performance.now();
  report.line(`${reason}: stopping everything`);
  setTimeout(() => process.exit(1), HARD_LIMIT_MS).unref();
  stop.abort();
}

// Where the terminal is closed, or the program that reads the output ends, writing fails. Everything still runs on, or
// stops in order.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
process.on('SIGINT', () => beginStop('Interrupted'));
process.on('SIGTERM', () => beginStop('Asked to stop'));
process.on('SIGHUP', () => beginStop('The terminal was closed'));
onNpmGone(process.env, () => beginStop('npm has ended'));

try {
  const [command, ...flags] = process.argv.slice(2);
  if (command !== 'start' || flags.some((flag) => !FLAGS.has(flag)))
    throw new LaunchError('Usage: npm start -- [--no-sample] [--watch]');
  await start({
    root: resolve(DIST, '..'),
    dist: DIST,
    env: process.env,
    report,
    signal: stop.signal,
    watch: flags.includes('--watch'),
    importSample: !flags.includes('--no-sample'),
  });
  report.line(`Stopped cleanly in ${secondsSince(stopBegan ?? performance.now())}`);
  process.exit(0);
} catch (error) {
  const isTold = error instanceof LaunchError || error instanceof SettingsError;
  report.line(isTold ? `\n${error.message}` : String((error as Error).stack));
  process.exit(1);
}
