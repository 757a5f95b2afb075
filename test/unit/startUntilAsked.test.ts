import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';

const MODULE = new URL('../support/startUntilAsked.js', import.meta.url).href;

/**
 * Starts a process that starts something by `start`, and then says every moment that it works. To close that takes until
 * `closing` resolves.
 */
function run(start: string, closing = 'Promise.resolve()') {
  const script = `
    import { startUntilAsked } from '${MODULE}';
    const working = setInterval(() => {}, 1000);
    const close = async () => {
      console.error('closing');
      await ${closing};
      console.error('closed');
      clearInterval(working);
    };
    const { running } = startUntilAsked(${start});
    console.log('starting');
    await running;
    setInterval(() => console.log('working'), 20);`;
  return spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

describe('a run until it is asked to end', () => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    it(`closes once what it has started, however often ${signal} comes`, async () => {
      const again = `new Promise((resolve) => process.once('${signal}', resolve))`;
      const process = run('async () => ({ close })', again);
      const [told, ended] = [text(process.stderr), once(process, 'exit')];
      process.stdout.setEncoding('utf8').on('data', (said: string) => {
        if (said.includes('working')) process.kill(signal);
      });
      expect(await ended).to.deep.equal([1, null]);
      expect(await told).to.equal('closing\nclosed\n');
    });

  it('closes it when nobody reads its output any more', async () => {
    const process = run('async () => ({ close })');
    const [told, ended] = [text(process.stderr), once(process, 'exit')];
    await once(process.stdout, 'data');
    process.stdout.destroy();
    expect(await ended).to.deep.equal([1, null]);
    expect(await told).to.equal('closing\nclosed\n');
  });

  it('stops what is being started, and prints no stack', async () => {
    const process = run(`async ({ stopped }) => {
      await new Promise((resolve) => stopped.addEventListener('abort', resolve));
      console.error('stopped');
      throw new Error('It was not started');
    }`);
    const [told, ended] = [text(process.stderr), once(process, 'exit')];
    await once(process.stdout, 'data');
    process.kill('SIGHUP');
    expect(await ended).to.deep.equal([1, null]);
    expect(await told).to.equal('stopped\n');
  });
});
