import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { until } from '../../../support/apiServer.js';

const PROGRAM = fileURLToPath(new URL('../../../support/lateListenerProcess.js', import.meta.url));

describe('runProcesses', () => {
  it('starts no more processes where the first one begins to listen only while all are stopped', async () => {
    const child = spawn(process.execPath, [PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    await until(() => output.includes('ready'));
    child.kill('SIGTERM');
    const [code] = (await once(child, 'close')) as [number | null];
    expect({ code, output }).to.deep.equal({ code: 0, output: 'fork\nready\n' });
  });

  it('stops in order where Ctrl-C also ends a process that is still starting', async () => {
    // The processes form a group, as those of a command in a terminal do.
    const stdio = ['ignore', 'pipe', 'inherit'] as const;
    const child = spawn(process.execPath, [PROGRAM], { stdio: [...stdio], detached: true });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    await until(() => output.includes('ready'));
    process.kill(-child.pid!, 'SIGINT');
    const [code] = (await once(child, 'close')) as [number | null];
    expect({ code, output }).to.deep.equal({ code: 0, output: 'fork\nready\n' });
  });
});
