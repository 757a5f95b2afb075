import { expect } from 'chai';
import { execFile, spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isRunning, processId } from '../../../services/local/processId.js';
import { until } from '../../support/apiServer.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const SOURCE = 'services/cli/version.ts';
const OUTPUT = 'dist/services/cli/version.js';
const LAST_RUN = 'dist/.tsbuildinfo';

/**
 * It stands for the compiler. It copies a source into dist, and fails where the source is wrong, but only after that, as
 * the real one does. It copies nothing where it remembers a run over the same source. It takes long where the source says
 * so: for ever, or until there is a file "done". With --watch it starts a program that never ends, and prints its process
 * id.
 */
const COMPILER = `
const { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
if (process.argv.includes('--watch')) {
  const child = require('node:child_process').spawn('sleep', ['300']);
  console.log('Watching', process.pid, child.pid);
} else if (readFileSync('${SOURCE}', 'utf8') === 'endless') {
  writeFileSync('compiler', String(process.pid));
  setInterval(() => {}, 1000);
} else if (readFileSync('${SOURCE}', 'utf8') === 'long') {
  writeFileSync('compiler', String(process.pid));
  setInterval(() => existsSync('done') && process.exit(), 20);
} else {
  mkdirSync('dist/services/cli', { recursive: true });
  const isSame = existsSync('${LAST_RUN}') && readFileSync('${LAST_RUN}', 'utf8') === readFileSync('${SOURCE}', 'utf8');
  if (!isSame) for (const file of ['${OUTPUT}', '${LAST_RUN}']) copyFileSync('${SOURCE}', file);
  process.exitCode = readFileSync('${SOURCE}', 'utf8').includes('wrong') ? 1 : 0;
}
`;

/** A project with the scripts of this one, and small substitutes for all else. */
async function withProject(work: (root: string) => Promise<void>): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    // In a URL, some of these characters have a meaning.
    const root = join(folder, 'a project #1, 50%20');
    const compiler = join(root, 'node_modules/typescript-7/bin/tsc');
    await mkdir(join(root, 'node_modules/typescript-7/bin'), { recursive: true });
    await mkdir(join(root, 'services/cli'), { recursive: true });
    await cp(join(ROOT, 'scripts'), join(root, 'scripts'), { recursive: true });
    await writeFile(compiler, COMPILER);
    await writeFile(join(root, 'package.json'), '{"type":"module"}');
    await writeFile(join(root, 'node_modules/typescript-7/package.json'), '{}');
    for (const file of ['tsconfig.json', 'package-lock.json'])
      await writeFile(join(root, file), '{}');
    await writeFile(join(root, SOURCE), 'right');
    await work(root);
  });
}

const build = async (root: string): Promise<boolean> => (await tryBuild(root)).passed;

const tryBuild = (root: string): Promise<{ passed: boolean; said: string }> =>
  new Promise((resolve) => {
    const script = `const { build } = await import('${pathToFileURL(join(root, 'scripts/lib/project.js')).href}'); process.exit(await build() ? 0 : 1);`;
    execFile(process.execPath, ['--input-type=module', '-e', script], (error, stdout, stderr) =>
      resolve({ passed: error === null, said: stdout + stderr }),
    );
  });

describe('the build before a start', () => {
  it('is done once for the same sources, and again after an edit that did not compile was taken back', () =>
    withProject(async (root) => {
      expect(await tryBuild(root))
        .to.deep.include({ passed: true })
        .and.not.include({ said: '' });
      expect(await tryBuild(root)).to.deep.equal({ passed: true, said: '' });

      await writeFile(join(root, SOURCE), 'wrong');
      expect(await build(root)).to.equal(false);
      await writeFile(join(root, SOURCE), 'right');
      expect(await build(root)).to.equal(true);
      expect(await readFile(join(root, OUTPUT), 'utf8')).to.equal('right');
    }));

  it('brings back a file of dist that was lost, which the compiler alone does not', () =>
    withProject(async (root) => {
      expect(await build(root)).to.equal(true);
      await rm(join(root, OUTPUT));
      expect(await build(root)).to.equal(true);
      expect(await readFile(join(root, OUTPUT), 'utf8')).to.equal('right');
    }));
});

describe('a build that cannot write', () => {
  it('says why, without a stack', () =>
    withProject(async (root) => {
      await writeFile(join(root, 'dist'), 'a file');
      const { passed, said } = await tryBuild(root);
      expect(passed).to.equal(false);
      expect(said).to.match(/^FAILED build and types .*\n\w+: .*\n$/);
    }));
});

describe('npm start', () => {
  it('ends the build when it is asked to stop meanwhile', () =>
    withProject(async (root) => {
      await writeFile(join(root, SOURCE), 'endless');
      const start = spawn(process.execPath, [join(root, 'scripts/start.js')], { stdio: 'ignore' });
      const ended = once(start, 'exit');
      const readPid = () => readFile(join(root, 'compiler'), 'utf8').catch(() => '');
      await until(async () => (await readPid()) !== '');
      const compiler = processId(Number(await readPid()));
      expect(isRunning(compiler)).to.equal(true);
      start.kill('SIGTERM');
      expect(await ended).to.deep.equal([1, null]);
      expect(isRunning(compiler)).to.equal(false);
    }));

  it('starts nothing when npm was killed during the build, because nobody would stop it', () =>
    withProject(async (root) => {
      await mkdir(join(root, 'services/local'));
      await writeFile(join(root, 'services/local/main.ts'), '');
      await mkdir(join(root, 'dist/services/local'), { recursive: true });
      const main = 'console.log("the launcher runs"); setInterval(() => {}, 1000);';
      await writeFile(join(root, 'dist/services/local/main.js'), main);
      await writeFile(join(root, SOURCE), 'long');
      // It stands for npm.
      const script = `const { spawn } = require('node:child_process');
        console.log(spawn(process.execPath, ['scripts/start.js'], { stdio: 'inherit' }).pid);`;
      const npm = spawn(process.execPath, ['-e', script], {
        cwd: root,
        env: { ...process.env, npm_lifecycle_event: 'start' },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let told = '';
      npm.stdout.setEncoding('utf8').on('data', (said: string) => (told += said));
      const isCompiling = () => existsSync(join(root, 'compiler'));
      await until(() => isCompiling() && told.includes('\n'));
      const start = processId(Number.parseInt(told, 10));
      npm.kill('SIGKILL');
      await once(npm, 'exit');
      await writeFile(join(root, 'done'), '');
      try {
        await until(() => !isRunning(start) || told.includes('the launcher runs'));
        expect(told).to.include('npm has ended').and.not.include('the launcher runs');
      } finally {
        if (isRunning(start)) process.kill(start.pid, 'SIGKILL');
      }
    }));
});

describe('the command line', () => {
  for (const missing of ['commander-of-nothing', './lost.js'])
    it(`says what to do where ${missing} is missing, without a stack`, () =>
      withProject(async (root) => {
        await cp(join(ROOT, 'bin'), join(root, 'bin'), { recursive: true });
        await mkdir(join(root, 'dist/services/cli'), { recursive: true });
        await writeFile(join(root, 'dist/services/cli/main.js'), `import '${missing}';`);
        const command = spawn(process.execPath, [join(root, 'bin/forum-archive.js'), '--version'], {
          stdio: ['ignore', 'inherit', 'pipe'],
        });
        const ended = once(command, 'exit');
        const [first, then, ...rest] = (await text(command.stderr)).split('\n');
        expect(first)
          .to.match(/^Error: /)
          .and.contain(missing.replace('./', '/'));
        expect(then).to.equal('Run npm ci, remove the folder dist, and run npm run build');
        expect(rest).to.deep.equal(['']);
        expect(await ended).to.deep.equal([1, null]);
      }));
});

describe('npm start -- --watch', () => {
  it('ends the compiler with all that it has started when it is killed, and has the next start build', () =>
    withProject(async (root) => {
      expect(await build(root)).to.equal(true);
      const local = join(root, 'dist/services/local');
      await mkdir(local, { recursive: true });
      await cp(join(ROOT, 'dist/services/local/guard.js'), join(local, 'guard.js'));
      await cp(join(ROOT, 'dist/services/local/guard.js'), join(root, 'services/local/guard.ts'));
      await writeFile(join(root, 'services/local/main.ts'), '');
      await writeFile(join(local, 'main.js'), 'setInterval(() => {}, 1000);');
      expect(await build(root)).to.equal(true);
      const start = spawn(process.execPath, [join(root, 'scripts/start.js'), '--watch'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [line] = (await once(start.stdout, 'data')) as [Buffer];
      const compilers = line
        .toString()
        .match(/\d+/g)!
        .map((pid) => processId(Number(pid)));
      expect(compilers.map(isRunning)).to.deep.equal([true, true]);
      start.kill('SIGKILL');
      await until(() => !compilers.some(isRunning));

      // The compiler that was killed had written an edit, which was taken back.
      for (const file of [OUTPUT, LAST_RUN]) await writeFile(join(root, file), 'an edit');
      expect(await build(root)).to.equal(true);
      expect(await readFile(join(root, OUTPUT), 'utf8')).to.equal('right');
    }));
});

/** They stand for the modules of the launcher. The servers start at once, or only begin to. */
const LAUNCHER = {
  'children.js': `export const createChildren = () => {
    let stop;
    const stopped = new Promise((resolve) => (stop = resolve));
    return { stopped, stopAll: async () => stop() };
  };`,
  'ensureServers.js': `import { existsSync } from 'node:fs';
  export async function ensureServers({ children, report }) {
    console.log('starting');
    const working = setInterval(() => {}, 1000);
    if (process.env.STARTS === 'later') {
      while (!existsSync(process.env.TMPDIR + '/closed')) await new Promise(setImmediate);
      report.line('ready');
    }
    if (process.env.STARTS === 'no') await children.stopped.then(() => Promise.reject(new Error()));
    return { urls: {}, stop: async () => clearInterval(working) };
  }`,
  'report.js': 'export const createReport = (out) => ({ line: (text) => out.write(text) });',
  'elasticsearchFolder.js': `import { rmSync } from 'node:fs';
  export const removeDataDir = async (folder) => rmSync(folder, { recursive: true });`,
};

/** A project in which `npm run trial:bands` starts the modules above, and then tests that never end. */
async function withBands(
  work: (
    root: string,
    start: (STARTS: string) => ChildProcessByStdio<null, Readable, Readable>,
  ) => Promise<void>,
): Promise<void> {
  await withProject(async (root) => {
    expect(await build(root)).to.equal(true);
    const folders = ['dist/services/local', 'dist/test/support', 'node_modules/mocha/bin', 'tmp'];
    for (const folder of folders) await mkdir(join(root, folder), { recursive: true });
    for (const [name, script] of Object.entries(LAUNCHER))
      await writeFile(join(root, 'dist/services/local', name), script);
    const asking = "console.log('asking'); setInterval(() => {}, 1000);";
    await writeFile(join(root, 'node_modules/mocha/bin/mocha.js'), asking);
    for (const name of ['onAsked.js', 'startServers.js', 'startUntilAsked.js'])
      await cp(join(ROOT, 'dist/test/support', name), join(root, 'dist/test/support', name));
    await work(root, (STARTS) =>
      spawn(process.execPath, [join(root, 'scripts/bands.js')], {
        env: { ...process.env, STARTS, TMPDIR: join(root, 'tmp') },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      }),
    );
  });
}

describe('a script with servers of its own', () => {
  for (const [STARTS, mark, what, signal] of [
    ['no', 'starting', 'Ctrl-C', 'SIGINT'],
    ['yes', 'asking', 'Ctrl-C', 'SIGINT'],
    ['yes', 'asking', 'its terminal was closed', 'SIGHUP'],
  ] as const)
    it(`removes their data after ${what}, when it is ${mark}`, () =>
      withBands(async (root, start) => {
        const script = start(STARTS);
        let told = '';
        script.stdout.setEncoding('utf8').on('data', (said: string) => (told += said));
        await until(() => told.includes(mark));
        expect(await readdir(join(root, 'tmp'))).to.not.deep.equal([]);
        // A terminal sends the signal to the whole group.
        process.kill(-script.pid!, signal);
        expect(await once(script, 'exit')).to.deep.equal([1, null]);
        expect(await readdir(join(root, 'tmp'))).to.deep.equal([]);
      }));

  it('removes their data when nobody reads its output any more, and prints no stack', () =>
    withBands(async (root, start) => {
      const script = start('later');
      const ended = once(script, 'exit');
      await once(script.stdout, 'data');
      script.stdout.destroy();
      await writeFile(join(root, 'tmp/closed'), '');
      expect(await text(script.stderr)).to.equal('');
      expect(await ended).to.deep.equal([1, null]);
      expect(await readdir(join(root, 'tmp'))).to.deep.equal(['closed']);
    }));
});

describe('npm run faults', () => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    it(`has its program, with its arguments, stop in order on ${signal}`, () =>
      withProject(async (root) => {
        expect(await build(root)).to.equal(true);
        await mkdir(join(root, 'dist/test/faults/sync'), { recursive: true });
        const program = `
          process.on('${signal}', () => { console.log('stopped'); process.exit(1); });
          setInterval(() => {}, 1000);
          console.log(process.argv.slice(2).join(' '));`;
        await writeFile(join(root, 'dist/test/faults/sync/main.js'), program);
        const args = [join(root, 'scripts/faults.js'), 'sync', '--seeds', '3'];
        const script = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
        const ended = once(script, 'exit');
        const [told] = (await once(script.stdout, 'data')) as [Buffer];
        script.kill(signal);
        expect(`${told.toString()}${await text(script.stdout)}`).to.equal('--seeds 3\nstopped\n');
        expect(await ended).to.deep.equal([1, null]);
      }));
});
