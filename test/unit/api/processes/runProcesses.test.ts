import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { until } from '../../../support/apiServer.js';

const PROGRAM = fileURLToPath(new URL('../../../support/lateListenerProcess.js', import.meta.url));

describe('runProcesses', () => {
  /** Starts the program, and resolves once its first process is starting. `end` resolves when the program has ended. */
  async function startStarting({
    args = [],
    detached = false,
  }: { args?: string[]; detached?: boolean } = {}) {
    const stdio = ['ignore', 'pipe', 'inherit'] as const;
    const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: [...stdio], detached });
    const closed = once(child, 'close') as Promise<[number | null]>;
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    await until(() => output.includes('ready'));
    const end = async () => {
      const [code] = await closed;
      return { code, output };
    };
    return { child, end };
  }

  it('starts no more processes where the first one begins to listen only while all are stopped', async () => {
    const { child, end } = await startStarting();
    child.kill('SIGTERM');
    expect(await end()).to.deep.equal({ code: 0, output: 'fork\nready\n' });
  });

  it('stops in order where Ctrl-C also ends a process that is still starting', async () => {
    // The processes form a group, as those of a command in a terminal do.
    const { child, end } = await startStarting({ detached: true });
    process.kill(-child.pid!, 'SIGINT');
    expect(await end()).to.deep.equal({ code: 0, output: 'fork\nready\n' });
  });

  it('stops in order where the first process is ended by Ctrl-C before this one hears of it', async () => {
    const { end } = await startStarting({ args: ['SIGINT'] });
    expect(await end()).to.deep.equal({ code: 0, output: 'fork\nready\n' });
  });
});
