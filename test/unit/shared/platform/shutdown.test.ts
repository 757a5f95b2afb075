import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';

const urlOf = (name: string) =>
  JSON.stringify(new URL(`../../../../shared/platform/${name}.js`, import.meta.url));

describe('stopOnSignal', () => {
  let folder: string;
  let pipe: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'forum-archive-shutdown-'));
    pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
  });
  after(() => rmSync(folder, { recursive: true }));

  /**
   * Starts a process that opens a pipe. That takes until somebody writes to the pipe. Then the process is asked to stop,
   * and runs `step`. Gives how it ended, and the messages that it logged.
   */
  async function stopped(step: string, limitMs: number) {
    const script = `
      import { open, writeFile } from 'node:fs/promises';
      import { createLogger, gatheredOutput } from ${urlOf('logger')};
      import { stopOnSignal } from ${urlOf('shutdown')};
      const pipe = ${JSON.stringify(pipe)};
      const logger = createLogger('test', 'info', gatheredOutput());
      stopOnSignal([{ name: 'a step', run: async () => { ${step} } }], logger, ${limitMs});
      setInterval(() => undefined, 1_000);
      open(pipe);
      process.kill(process.pid, 'SIGTERM');`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const [log, [code, signal]] = await Promise.all([
        text(child.stdout),
        once(child, 'exit') as Promise<[number | null, string | null]>,
      ]);
      const lines = log.trim().split('\n');
      return { code, signal, said: lines.map((line) => (JSON.parse(line) as { msg: string }).msg) };
    } finally {
      child.kill('SIGKILL');
    }
  }

  it('kills a process in which a call to a file system hangs, and says why', async () => {
    const { code, signal, said } = await stopped('', 10_000);
    expect([code, signal]).to.deep.equal([null, 'SIGKILL']);
    expect(said).to.have.length(2);
    expect(said[1]).to.contain('does not end');
  });

  it('kills it also where the steps take too long', async () => {
    const { signal, said } = await stopped('await new Promise(() => undefined);', 100);
    expect(signal).to.equal('SIGKILL');
    expect(said.slice(0, 2)).to.deep.equal(['Stopping', 'Stopping took too long']);
    expect(said[2]).to.contain('does not end');
  });

  it('waits a moment for such a call, and then exits', async () => {
    // Both calls are under way when the step ends, and end together.
    expect(await stopped('void writeFile(pipe, "");', 10_000)).to.include({
      code: 0,
      signal: null,
    });
  });
});
