import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { getPriority } from 'node:os';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { readSettings } from '../../../../shared/platform/env.js';
import { untilEqual } from '../../../support/apiServer.js';

const giveWayUrl = new URL('../../../../shared/platform/giveWay.js', import.meta.url);

/**
 * A program that lowers its priority, and prints the niceness of each of its threads, and of the group that Linux
 * schedules it in.
 */
const SCRIPT = `
  import { existsSync, readdirSync, readFileSync } from 'node:fs';
  import { getPriority } from 'node:os';
  import { giveWay } from ${JSON.stringify(giveWayUrl)};
  for (const nice of process.argv.slice(1)) giveWay(Number(nice));
  const [tasks, group] = ['/proc/self/task', '/proc/self/autogroup'];
  console.log(JSON.stringify({
    threads: (existsSync(tasks) ? readdirSync(tasks) : [process.pid]).map((id) => getPriority(Number(id))),
    group: existsSync(group) ? Number(readFileSync(group, 'utf8').split(' ').at(-1)) : null,
  }));
`;

interface Told {
  threads: number[];
  group: number | null;
}

async function toldBy(nices: number[], ownSession = false): Promise<Told> {
  const args = ['--input-type=module', '--eval', SCRIPT, ...nices.map(String)];
  const child = spawn(process.execPath, args, {
    detached: ownSession,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return JSON.parse(said) as Told;
}

describe('giveWay', () => {
  const own = getPriority();

  it('lowers every thread of the process', async () => {
    const { threads } = await toldBy([own + 3]);
    expect(new Set(threads)).to.deep.equal(new Set([own + 3]));
  });

  it('lowers the group that Linux schedules as one only where the process leads it', async () => {
    const { group } = await toldBy([0]);
    expect((await toldBy([own + 3])).group).to.equal(group);
    const hasGroups = existsSync('/proc/self/autogroup');
    expect((await toldBy([own + 3], true)).group).to.equal(hasGroups ? own + 3 : null);
  });

  it('raises no process, and changes nothing for 0', async () => {
    expect(new Set((await toldBy([own + 3, own + 1])).threads)).to.deep.equal(new Set([own + 3]));
    expect(new Set((await toldBy([0], true)).threads)).to.deep.equal(new Set([own]));
  });

  for (const [service, ...args] of [['indexer'], ['cli', 'status']] as const) {
    it(`is called by every ${service} process, with the setting's default`, async () => {
      const main = new URL(`../../../../services/${service}/main.js`, import.meta.url);
      // Nothing answers at these addresses, so both services wait for their stores.
      const env = {
        ...process.env,
        MONGODB_URL: 'mongodb://127.0.0.1:1/x',
        ELASTICSEARCH_URL: 'http://127.0.0.1:1',
        REDIS_URL: 'redis://127.0.0.1:1',
        BACKGROUND_NICE: '',
      };
      const child = spawn(process.execPath, [fileURLToPath(main), ...args], {
        env,
        stdio: 'ignore',
      });
      const ended = once(child, 'exit');
      const lowered = Math.max(own, readSettings({}).BACKGROUND_NICE);
      try {
        await untilEqual(() => getPriority(child.pid), lowered);
      } finally {
        child.kill('SIGKILL');
        await ended;
      }
    });
  }
});
