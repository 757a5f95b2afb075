import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import type { GuardSpec } from './spawnGuarded.js';

/*
 * This program runs as a process of its own between the launcher and one child. Its standard input is a pipe that only
 * the launcher holds. So the pipe closes when the launcher ends, however it ends. Then the guard asks the whole process
 * group of the child to stop, and kills it after the grace time.
 */
const PID_FD = 3;

const spec = JSON.parse(process.argv[2] ?? '{}') as GuardSpec;
const { command, args, cwd, user, graceMs } = spec;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

const child = spawn(command, args, {
  ...(cwd === undefined ? {} : { cwd }),
  ...user,
  stdio: ['ignore', 'inherit', 'inherit'],
  detached: true,
});

child.on('error', (error) => {
  writeSync(2, `Cannot run ${command}: ${error.message}\n`);
  process.exit(127);
});

child.on('exit', (code, signal) => {
  killGroup('SIGKILL');
  // A program may end by the signal that asks it to stop.
  const isAsked = stopping && signal === 'SIGTERM';
  if (signal !== null && !isAsked) writeSync(2, `${command} was ended by ${signal}\n`);
  process.exit(code ?? 1);
});

let stopping = false;
for (const event of ['end', 'close', 'error']) process.stdin.on(event, stop);
process.stdin.resume();

if (child.pid !== undefined) tellPid(child.pid);

/** Tells the launcher the child's process id. */
function tellPid(pid: number): void {
  try {
    writeSync(PID_FD, `${pid}\n`);
  } catch {
    // The launcher has ended meanwhile. Then standard input closes, too, and the child is stopped.
  }
}

function stop(): void {
  if (stopping) return;
  stopping = true;
  killGroup('SIGTERM');
  setTimeout(() => killGroup('SIGKILL'), graceMs).unref();
}

function killGroup(signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // Every process of the group has ended.
  }
}
