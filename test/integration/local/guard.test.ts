import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createChildren } from '../../../services/local/children.js';
import { isRunning, processId } from '../../../services/local/processId.js';
import { until } from '../../support/apiServer.js';
import { rejectionOf, withTemporaryFolder } from '../../support/temporaryFolder.js';

const GUARD = fileURLToPath(new URL('../../../services/local/guard.js', import.meta.url));
const MODULE = new URL('../../../services/local/spawnGuarded.js', import.meta.url).href;

// The child refuses to stop, and starts a child of its own. Both have to end.
const STUBBORN = 'trap "" TERM; sleep 300 & echo $!; wait; sleep 300';

const PARENT = `
import { spawnGuarded } from ${JSON.stringify(MODULE)};
const logFile = process.argv[1];
const args = ['-c', ${JSON.stringify(STUBBORN)}];
const child = spawnGuarded({ command: 'sh', args, env: process.env, logFile, graceMs: 200 });
console.log(await child.pid);
`;

async function grandchildOf(logFile: string): Promise<number> {
  for (;;) {
    const text = await readFile(logFile, 'utf8').catch(() => '');
    if (text.includes('\n')) return Number(text);
    await delay(20);
  }
}

describe('guard', () => {
  it('ends the child and its children when the launcher is killed', () =>
    withTemporaryFolder(async (folder) => {
      const logFile = join(folder, 'child.log');
      const parent = spawn(process.execPath, ['--input-type=module', '-e', PARENT, logFile], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      const child = processId(Number(line.toString()));
      const grandchild = processId(await grandchildOf(logFile));
      expect([isRunning(child), isRunning(grandchild)]).to.deep.equal([true, true]);

      parent.kill('SIGKILL');
      await once(parent, 'exit');
      await until(() => !isRunning(child));
      await until(() => !isRunning(grandchild));
    }));

  it('ends the child when the launcher has ended before it was told of the child', async () => {
    const spec = { command: 'sleep', args: ['300'], graceMs: 200 };
    const guard = spawn(process.execPath, [GUARD, JSON.stringify(spec)], {
      stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
    });
    guard.stdin!.destroy();
    guard.stdio[3]!.destroy();
    // The child has inherited this pipe, so the pipe ends only once both have ended.
    const ended = once(guard.stdout!.resume(), 'end');
    await ended;
  });

  it('stops a child on request, and gives its exit code', () =>
    withTemporaryFolder(async (folder) => {
      const children = createChildren();
      const child = children.spawn({
        command: 'sh',
        args: ['-c', 'trap "exit 7" TERM; echo ready; while :; do sleep 0.05; done'],
        env: process.env,
        logFile: join(folder, 'child.log'),
      });
      while (!(await readFile(child.logFile, 'utf8')).includes('ready')) await delay(20);
      await children.stopAll();
      expect(await child.exited).to.equal(7);
    }));

  it('reports the problem and the end of the log of a program that fails', () =>
    withTemporaryFolder(async (folder) => {
      const logFile = join(folder, 'child.log');
      const script = 'seq 1 100; echo the reason >&2; exit 3';
      const spec = { command: 'sh', args: ['-c', script], env: process.env, logFile };
      const message = await rejectionOf(createChildren().run(spec, 'It did not work'));
      expect(message).to.match(/^It did not work\n/);
      expect(message).to.contain(logFile);
      expect(message).to.match(/ {2}100\n {2}the reason$/);
      expect(message).to.not.contain('\n  80\n');
    }));

  it('reports that a program cannot be run', () =>
    withTemporaryFolder(async (folder) => {
      const logFile = join(folder, 'child.log');
      const spec = { command: '/nonexistent', args: [], env: process.env, logFile };
      expect(await rejectionOf(createChildren().run(spec, 'No'))).to.contain(
        'Cannot run /nonexist',
      );
    }));
});
