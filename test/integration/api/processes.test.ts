import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { announcementChannel } from '../../../shared/jobs/announcements.js';
import { createApiKey } from '../../../shared/store/apiKeys.js';
import { until, untilEqual } from '../../support/apiServer.js';
import { openApiStores, type ApiStores } from '../../support/apiStores.js';
import { storeBody } from '../../support/apiViews.js';
import {
  end,
  startProcess,
  startService,
  urlOf,
  type ServiceProcess,
} from '../../support/serviceProcess.js';

const COUNT = 3;
const PATH = '/api/threads/71';
/** A request that only one test makes. */
const COUNTED = { path: '/api/threads/71/participants', operation: 'listParticipants' };

/** How many requests for PATH the running API got. */
let asked = 0;

describe('the API as several processes', () => {
  let stores: ApiStores;
  let api: ServiceProcess;
  let lines: Line[];
  before(async () => {
    stores = await openApiStores();
    await storeBody(stores.mongo.collections, 'thread/71', { name: 'before' });
    await start(COUNT);
  });
  after(() => stores.close());

  const environment = (count: number) => ({
    MONGODB_URL: stores.mongodbUrl,
    RATE_LIMIT_DISABLED: 'true',
    API_PROCESSES: String(count),
    PORT: '0',
    AUDIT_READS: 'true',
  });
  /** Starts the API, and opens a connection to each of its processes. */
  async function start(count: number): Promise<void> {
    asked = 0;
    api = await startService('api', environment(count));
    await until(() => listening().length === count);
    const opened = new Map<number, Line>();
    await until(async () => {
      const line = await openLine(api);
      if (opened.has(line.pid)) line.close();
      else opened.set(line.pid, line);
      return opened.size === count;
    });
    lines = [...opened.values()];
  }
  async function stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | NodeJS.Signals> {
    const ended = await end(api, signal);
    for (const line of lines) line.close();
    return ended;
  }
  /** The processes that have begun to listen, in order. */
  const listening = () =>
    api.log.filter(({ msg }) => msg === 'Listening').map(({ pid }) => Number(pid));

  it('answers at one address, and each line of the log tells its process', () => {
    const pids = lines.map(({ pid }) => pid);
    expect(pids).to.have.members(listening());
    expect(pids).not.to.include(api.pid);
    const urls = api.log.filter(({ msg }) => msg === 'Listening').map(({ url }) => url);
    expect(new Set(urls).size).to.equal(1);
  });

  it('empties the cache of each process when a change is announced', async () => {
    const names = () => Promise.all(lines.map(async (line) => nameOf((await line.ask(PATH)).body)));
    await until(async () => (await names()).every((name) => name === 'before'));
    await storeBody(stores.mongo.collections, 'thread/71', { name: 'after' });
    const announcement = { threads: [{ threadId: '71', serverId: '1', channelId: '2' }] };
    const message = JSON.stringify({ ...announcement, servers: [], users: [] });
    await stores.redis.publish(announcementChannel(stores.mongo.namespace), message);
    await until(async () => (await names()).every((name) => name === 'after'));
  });

  it('adds up the metrics of all processes, whichever of them is asked', async () => {
    const { path, operation } = COUNTED;
    for (const line of lines) for (let n = 0; n < 5; n += 1) await line.ask(path);
    for (const line of lines) {
      await until(async () => (await countAsked(line, operation)) === COUNT * 5);
    }
    // It must not be the number of processes that can reach the store.
    await until(async () => {
      const { body } = await lines[0]!.ask('/metrics');
      return body.includes('forum_archive_store_up{store="mongodb"} 1\n');
    });
  });

  it('lists operations newest first, whichever process they went through', async () => {
    const operator = { name: 'an operator', level: 'admin', expiresAt: null } as const;
    const { key } = await createApiKey(stores.mongo.collections, operator);
    const jobIds = Array.from({ length: 4 * COUNT }, (_, n) => `job-${n}`);
    for (const [n, jobId] of jobIds.entries()) {
      await lines[n % COUNT]!.ask(`/admin/jobs/${jobId}`, { 'X-API-Key': key });
      // Entries of the same millisecond have no order.
      const now = Date.now();
      await until(() => Date.now() > now);
    }
    const { body } = await lines[0]!.ask('/admin/audit', { 'X-API-Key': key });
    const { entries } = JSON.parse(body) as { entries: { params: { jobId: string } }[] };
    expect(entries.map(({ params }) => params.jobId)).to.deep.equal(jobIds.toReversed());
  });

  it('goes on after a process is killed, and replaces it', async () => {
    const [victim, ...others] = lines;
    await untilEqual(() => countAsked(others[0]!), asked);
    let isOver = false;
    let answered = 0;
    const load = others.map(async (line) => {
      // Rejects where an answer does not come.
      for (; !isOver; answered += 1) {
        await line.ask(PATH);
        await pause(5);
      }
    });
    await until(() => answered > 100);
    process.kill(victim!.pid, 'SIGKILL');
    const told = await api.logged('A process of the API ended; another one takes its place');
    expect(told).to.include({ pid: api.pid, ended: victim!.pid, signal: 'SIGKILL' });
    await until(() => listening().length === COUNT + 1);
    const replacement = listening().at(-1);
    await until(async () => {
      const line = await openLine(api);
      if (line.pid === replacement) lines[0] = line;
      else line.close();
      return line.pid === replacement;
    });
    const enough = answered + 100;
    await until(() => answered > enough);
    isOver = true;
    await Promise.all(load);
    // What the killed process has counted is still included, and only once.
    await untilEqual(() => countAsked(others[0]!), asked);
    // What it held when it was killed is not.
    const announcement = { threads: [], servers: [], users: [], everything: true };
    const channel = announcementChannel(stores.mongo.namespace);
    await stores.redis.publish(channel, JSON.stringify(announcement));
    await until(async () => {
      const { body } = await others[0]!.ask('/metrics');
      return body.includes('forum_archive_response_cache_bytes 0\n');
    });
  });

  it('answers the requests under way before it stops, and exits 0', async function () {
    // The test is repeated, because a client that was held up for longer than connections are kept after the signal may
    // be cut.
    this.retries(9);
    if (!isRunning(api.pid)) await start(COUNT);
    let answered = 0;
    const load = lines.map(async (line) => {
      while (await isAnswered(line.ask(PATH))) answered += 1;
    });
    const loaded = Promise.all(load);
    loaded.catch(() => undefined);
    await until(() => answered > 100);
    expect(await stop('SIGTERM')).to.equal(0);
    await loaded;
  });

  it('kills a process that is frozen when all are to stop, and exits 1, even if the first one stood still, too', async () => {
    await start(2);
    const [frozen, other] = lines;
    const counted = await countAsked(other!);
    process.kill(frozen!.pid, 'SIGSTOP');
    expect(await countAsked(other!)).to.be.at.least(counted);
    const stopped = stop('SIGTERM');
    await until(() => api.log.some(({ msg, pid }) => msg === 'Stopping' && pid === api.pid));
    process.kill(api.pid, 'SIGSTOP');
    // Meanwhile the time comes at which it kills those that have not ended.
    await pause(12_500);
    process.kill(api.pid, 'SIGCONT');
    expect(await stopped).to.equal(1);
    await until(() => !isRunning(frozen!.pid));
  });

  it('ends together with its parent process', async () => {
    await start(2);
    expect(await stop('SIGKILL')).to.equal('SIGKILL');
    await until(() => lines.every(({ pid }) => !isRunning(pid)));
  });

  it('reports once that its address is taken, and exits 1', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const refused = startProcess('api', { ...environment(2), PORT: String(port) });
    expect(await refused.exited).to.equal(1);
    taken.close();
    expect(refused.output().match(/Wrong setting: PORT/g)).to.have.length(1);
  });
});

/** A connection to one process of the API. */
interface Line {
  pid: number;
  ask(path: string, headers?: Record<string, string>): Promise<Reply>;
  close(): void;
}

interface Reply {
  requestId: string;
  body: string;
}

/** Opens a connection. The log tells which process answers on it. */
async function openLine(api: ServiceProcess): Promise<Line> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask: Line['ask'] = (path, headers) => {
    if (path === PATH) asked += 1;
    return askOver(agent, `${urlOf(api)}${path}`, headers);
  };
  const { requestId } = await ask('/healthz');
  const line = () => api.log.find((each) => each['requestId'] === requestId);
  await until(() => line() !== undefined);
  return { pid: Number(line()?.['pid']), ask, close: () => agent.destroy() };
}

function askOver(agent: Agent, url: string, headers = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ requestId: String(response.headers['x-request-id']), body }),
      );
    });
    sent.on('error', reject).end();
  });
}

/** The name in a thread's body; undefined where a busy machine was too slow to answer. */
function nameOf(body: string): unknown {
  return (JSON.parse(body) as { name?: unknown }).name;
}

/** How many requests for an operation the metrics count, with any status. */
async function countAsked(line: Line, operation = 'getThread'): Promise<number> {
  const start = `forum_archive_http_request_duration_seconds_count{operation="${operation}"`;
  const { body } = await line.ask('/metrics');
  return body
    .split('\n')
    .filter((each) => each.startsWith(start))
    .reduce((sum, each) => sum + Number(each.split(' ')[1]), 0);
}

/** False where nobody listens any more. Rejects where a request is cut. */
async function isAnswered(reply: Promise<Reply>): Promise<boolean> {
  try {
    await reply;
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return false;
    throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
