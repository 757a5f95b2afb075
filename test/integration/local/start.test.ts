import { expect } from 'chai';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { LaunchError } from '../../../services/local/launchError.js';
import { freePort } from '../../../services/local/ports.js';
import { readServersFile, writeServersFile } from '../../../services/local/serversFile.js';
import { start } from '../../../services/local/start.js';
import { until } from '../../support/apiServer.js';
import { rejectionOf, withTemporaryFolder } from '../../support/temporaryFolder.js';

const API = `
import { createServer } from 'node:http';
createServer((request, response) => response.end('{}')).listen(process.env.PORT, process.env.HOST);
console.log(JSON.stringify(process.env));
process.on('SIGTERM', () => { console.log('stopped'); process.exit(0); });
`;
const CRASHING = 'console.log("the reason"); process.exit(3);';
const WAITING = 'setInterval(() => {}, 1000);';
const CLI = `
if (process.argv[2] === 'status') console.log('{"empty":' + process.env.TEST_EMPTY + '}');
else console.log(process.argv.slice(2).join(' '));
`;

interface Project {
  root: string;
  env: Record<string, string | undefined>;
  lines: string[];
  run: (signal: AbortSignal, options?: { importSample: boolean }) => Promise<void>;
  log: (name: string) => Promise<string>;
}

/** A project folder whose services are small substitutes, and whose servers are given by their URLs. */
async function project(
  root: string,
  scripts: { api?: string; indexer?: string; cli?: string; empty?: boolean },
): Promise<Project> {
  const { api = API, indexer = WAITING, cli = CLI, empty = true } = scripts;
  const dist = join(root, 'dist');
  for (const [name, script] of Object.entries({ api, indexer, cli })) {
    await mkdir(join(dist, 'services', name), { recursive: true });
    await writeFile(join(dist, 'services', name, 'main.js'), script);
  }
  await writeFile(join(root, 'package.json'), '{"type":"module"}');
  await mkdir(join(root, 'sample'));
  await writeFile(join(root, 'sample/thread.json'), '{}');
  const env = {
    PATH: process.env['PATH'],
    PORT: String(await freePort()),
    TEST_EMPTY: String(empty),
    MONGODB_URL: 'mongodb://a/b',
    ELASTICSEARCH_URL: 'http://c',
    REDIS_URL: 'redis://d',
  };
  const lines: string[] = [];
  const report = { line: (text: string) => void lines.push(text), progress: () => undefined };
  return {
    root,
    env,
    lines,
    run: (signal, options) => start({ root, dist, env, report, signal, ...options }),
    log: (name) => readFile(join(root, '.data/logs', name), 'utf8'),
  };
}

/** Runs the project until it prints the next steps, and then stops it. */
async function runUntilReady(
  { run, lines }: Project,
  options?: { importSample: boolean },
): Promise<void> {
  const stop = new AbortController();
  const push = lines.push.bind(lines);
  lines.push = (...added) => {
    if (added.some((line) => line.includes('Try:'))) stop.abort();
    return push(...added);
  };
  await run(stop.signal, options);
}

describe('start', () => {
  it('runs the services with their settings, imports the sample once and stops cleanly', () =>
    withTemporaryFolder(async (root) => {
      const launch = await project(root, {});
      await runUntilReady(launch);
      expect(launch.lines.join('\n')).to.contain(
        `http://127.0.0.1:${launch.env['PORT'] ?? ''}/openapi.json`,
      );
      // Another terminal finds this archive only by the addresses, because DATA_DIR holds none.
      expect(launch.lines.join('\n')).to.contain(
        "MONGODB_URL='mongodb://a/b' ELASTICSEARCH_URL='http://c' REDIS_URL='redis://d' npm run archive -- keys",
      );
      expect(launch.lines).to.include('Imported the sample archive');
      expect(await launch.log('import.log')).to.equal(`import ${join(root, 'sample')} --wait\n`);

      const log = await launch.log('api.log');
      const env = JSON.parse(log.split('\n')[0] ?? '') as Record<string, string>;
      const secret = join(root, '.data/jwt-secret');
      expect(env['MONGODB_URL']).to.equal('mongodb://a/b');
      expect(env['DATA_DIR']).to.equal(join(root, '.data'));
      // The stores run elsewhere, so the API decides by itself how many processes it runs.
      expect(env).not.to.have.property('API_PROCESSES');
      expect(env['JWT_SECRET'])
        .to.have.length(64)
        .and.equal(await readFile(secret, 'utf8'));
      expect((await stat(secret)).mode & 0o777).to.equal(0o600);
      expect(log).to.contain('stopped');
    }));

  it('leaves the record of a launcher that was killed as it is, so that nobody takes its services for leftovers', () =>
    withTemporaryFolder(async (root) => {
      const launch = await project(root, {});
      const dataDir = join(root, '.data');
      const killed = { pid: process.pid, startedAt: 'another time' };
      await mkdir(dataDir);
      await writeServersFile(dataDir, { ports: {}, launcher: killed, processes: [] });
      await runUntilReady(launch);
      expect((await readServersFile(dataDir)).processes).to.deep.equal([]);
    }));

  it('runs the API as one process where a store runs on the same machine', () =>
    withTemporaryFolder(async (root) => {
      const launch = await project(root, {});
      const { HOME, XDG_CACHE_HOME } = process.env;
      Object.assign(launch.env, { REDIS_URL: undefined, HOME, XDG_CACHE_HOME });
      await runUntilReady(launch);
      const [line = ''] = (await launch.log('api.log')).split('\n');
      expect(JSON.parse(line)).to.include({ API_PROCESSES: '1' });
    }));

  it('imports no sample into an archive that holds something', () =>
    withTemporaryFolder(async (root) => {
      const launch = await project(root, { empty: false });
      await runUntilReady(launch);
      expect(launch.lines).to.not.include('Imported the sample archive');
    }));

  it('imports no sample into an archive with a bot', () =>
    withTemporaryFolder(async (root) => {
      const launch = await project(root, {});
      launch.env['DISCORD_BOT_TOKEN'] = 'token';
      await runUntilReady(launch);
      expect(launch.lines).to.not.include('Imported the sample archive');
    }));

  it('runs without the sample where its import fails, and tells why', () =>
    withTemporaryFolder(async (root) => {
      const launch = await project(root, { cli: `${CLI}process.exit(1);` });
      await runUntilReady(launch);
      const told = launch.lines.join('\n');
      expect(told).to.contain('The sample archive could not be imported');
      expect(told).to.contain(`  import ${join(root, 'sample')} --wait`);
      expect(told).to.contain('Ready in');
    }));

  it('does not report that it is ready when it is stopped during the import of the sample', () =>
    withTemporaryFolder(async (root) => {
      const launch = await project(root, {
        cli: `${CLI}if (process.argv[2] === 'import') ${WAITING}`,
      });
      const stop = new AbortController();
      const running = launch.run(stop.signal);
      const begun = async () => (await launch.log('import.log').catch(() => '')).includes('import');
      await until(begun).finally(() => stop.abort());
      await running;
      expect(launch.lines.filter((line) => !line.startsWith('API ready'))).to.deep.equal([]);
    }));

  it('leaves an empty archive empty on request, so that a backup can be restored into it', () =>
    withTemporaryFolder(async (root) => {
      const launch = await project(root, {});
      await runUntilReady(launch, { importSample: false });
      expect(launch.lines).to.not.include('Imported the sample archive');
      expect(await launch.log('import.log').catch(() => 'none')).to.equal('none');
    }));

  it('names the log and its last lines when a service crashes', () =>
    withTemporaryFolder(async (root) => {
      const launch = await project(root, { api: CRASHING });
      const message = await rejectionOf(launch.run(new AbortController().signal));
      expect(message).to.contain('The API stopped (exit code 3)');
      expect(message).to.contain(join(root, '.data/logs/api.log'));
      expect(message).to.contain('  the reason');
    }));

  it('ends when the indexer ends, even while the sample is imported', () =>
    withTemporaryFolder(async (root) => {
      const cli = `${CLI}if (process.argv[2] === 'import') ${WAITING}`;
      const launch = await project(root, { indexer: CRASHING, cli });
      const message = await rejectionOf(launch.run(new AbortController().signal));
      expect(message).to.contain('The indexer stopped (exit code 3)');
    }));

  it('fails before anything is started where the port is taken, and says how to choose another', () =>
    withTemporaryFolder(async (root) => {
      const launch = await project(root, {});
      const port = Number(launch.env['PORT']);
      const taken = createServer().listen(port, '127.0.0.1');
      try {
        const message = await rejectionOf(launch.run(new AbortController().signal));
        expect(message)
          .to.contain(`Port ${port} of 127.0.0.1`)
          .and.contain(`PORT=${port + 1}`);
        expect(await launch.log('api.log').catch(() => 'none')).to.equal('none');
      } finally {
        taken.close();
      }
    }));

  it('proposes a port that exists where the last one is taken', () =>
    withTemporaryFolder(async (root) => {
      const launch = await project(root, {});
      launch.env['PORT'] = '65535';
      const taken = createServer().listen(65_535, '127.0.0.1');
      try {
        const message = await rejectionOf(launch.run(new AbortController().signal));
        expect(message).to.contain('PORT=65534');
      } finally {
        taken.close();
      }
    }));

  it('fails before anything is started where this machine has not the address, and does not blame a program', () =>
    withTemporaryFolder(async (root) => {
      const launch = await project(root, {});
      // An address that is kept for documents.
      launch.env['HOST'] = '192.0.2.1';
      const message = await rejectionOf(launch.run(new AbortController().signal));
      expect(message).to.contain('EADDRNOTAVAIL').and.contain('HOST').and.not.contain('program');
      expect(await launch.log('api.log').catch(() => 'none')).to.equal('none');
    }));

  it('refuses wrong settings before anything is started, each by name', () =>
    withTemporaryFolder(async (root) => {
      const launch = await project(root, {});
      Object.assign(launch.env, { PORT: '70000', CACHE_MEGABYTES: 'many' });
      const message = await rejectionOf(launch.run(new AbortController().signal));
      expect(message).to.match(/^Wrong setting: PORT must be .*\nWrong setting: CACHE_MEGABYTES/);
      expect(await launch.log('api.log').catch(() => 'none')).to.equal('none');
    }));

  it('says what it cannot read or write in its data folder', () =>
    withTemporaryFolder(async (root) => {
      const { run } = await project(root, {});
      const dataDir = join(root, '.data');
      await mkdir(join(dataDir, 'jwt-secret'), { recursive: true });
      const error = await run(new AbortController().signal).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(LaunchError);
      expect((error as Error).message).to.match(/^EISDIR: .*\. Data and logs are in \//);
    }));

  it('refuses to let the system choose its port, because it tells people where to look', () =>
    withTemporaryFolder(async (root) => {
      const launch = await project(root, {});
      launch.env['PORT'] = '0';
      const message = await rejectionOf(launch.run(new AbortController().signal));
      expect(message).to.contain('PORT must be a number from 1 to 65535');
    }));
});
