import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { phase, ROOT, run, runTool } from './run.js';

const SOURCES = ['services', 'shared', 'test', 'bench'];
const STAMP = join(ROOT, 'dist/.sources');
/** What the compiler remembers of its last run. tsconfig.json names it, too. */
const LAST_RUN = join(ROOT, 'dist/.tsbuildinfo');

/**
 * The compiler's path under node_modules. TypeScript 7 takes a third of the time of TypeScript 6. dependency-cruiser
 * cannot read sources with TypeScript 7 yet. It uses the package `typescript`, which is version 6.
 */
export const COMPILER = 'typescript-7/bin/tsc';

/**
 * Whether a version of Node supports the project. package.json names the same versions. npm refuses to install on others
 * (`engine-strict`), because some dependency does not support them.
 */
export function isSupportedNode(version) {
  const [major, minor] = version.split('.').map(Number);
  return major >= 24 || (major === 22 && minor >= 13) || (major === 20 && minor >= 19);
}

/** Ends the process where this Node does not support the project. */
export function requireNode() {
  if (isSupportedNode(process.versions.node)) return;
  console.error(
    `Node 24 or newer is needed, or 22 from 22.13 on, or 20 from 20.19 on; this is ${process.versions.node}`,
  );
  process.exit(1);
}

/**
 * Installs the dependencies and builds, each where it is needed. Resolves with whether both passed. It also resolves with
 * false where an npm that has started this process was killed meanwhile: what is started now would run on unnoticed.
 */
export async function prepare(log = console.log) {
  const parent = process.ppid;
  if (!(await install(log)) || !(await build(log))) return false;
  if (process.env.npm_lifecycle_event === undefined || process.ppid === parent) return true;
  log('npm has ended, so nothing is started');
  return false;
}

/**
 * Installs the dependencies where they are missing, or differ from package-lock.json. Resolves with whether that
 * passed.
 */
export async function install(log = console.log) {
  if (isInstalled()) return true;
  log('Installing the dependencies');
  return phase('install', runInstall, log);
}

/**
 * Compiles the sources into dist where they have changed since the last good build, or where a file of dist was lost.
 * Resolves with whether that passed.
 */
export async function build(log = console.log) {
  const stamp = hashSources();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp && isWhole()) return true;
  const passed = await phase('build and types', compile, log);
  if (passed) writeFileSync(STAMP, stamp);
  return passed;
}

async function compile() {
  try {
    forgetBuild();
    removeStaleOutput(join(ROOT, 'dist'), ROOT);
  } catch (error) {
    // The project belongs to another user, say.
    return { code: 1, output: error.message };
  }
  const compiled = await runTool(COMPILER, ['-p', '.']);
  if (compiled.code !== 0 || isWhole()) return compiled;
  // The compiler writes only what has changed since the last run that it remembers. A file of that run was lost.
  rmSync(LAST_RUN, { force: true });
  return runTool(COMPILER, ['-p', '.']);
}

/** Whether dist holds the output of each source. */
function isWhole() {
  return listSources().every((file) =>
    existsSync(join(ROOT, 'dist', relative(ROOT, file).replace(/\.ts$/, '.js'))),
  );
}

/**
 * Has the next start build, whatever the sources are then. It must be called before anything compiles into dist.
 * Otherwise a developer builds, tries an edit, and takes the edit back: the sources are those of the last build again,
 * but dist holds the output of the edit.
 */
export function forgetBuild() {
  rmSync(STAMP, { force: true });
}

/** Runs `npm ci`. It includes development dependencies, whatever NODE_ENV says. */
function runInstall() {
  return run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']);
}

// As the last step of an installation, npm writes what it has installed into node_modules/.package-lock.json.
function isInstalled() {
  const wanted = readPackages('package-lock.json');
  const present = readPackages('node_modules/.package-lock.json');
  return Object.entries(wanted).every(
    ([path, { version, optional }]) =>
      path === '' || (present[path] ? present[path].version === version : optional === true),
  );
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(join(ROOT, file), 'utf8')).packages ?? {};
  } catch {
    return {};
  }
}

function hashSources() {
  const hash = createHash('sha256').update(process.version);
  for (const file of [
    ...listSources().sort(),
    join(ROOT, 'tsconfig.json'),
    join(ROOT, 'package-lock.json'),
  ]) {
    hash.update(`${file}\0`).update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

function listSources() {
  return SOURCES.flatMap((folder) => listFiles(join(ROOT, folder)));
}

function listFiles(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
}

// Removes the output of deleted sources. The compiler leaves it, and mocha would run it.
function removeStaleOutput(dist, root) {
  if (!existsSync(dist)) return;
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.js')) continue;
    const output = join(entry.parentPath, entry.name);
    const source = join(root, output.slice(dist.length)).replace(/\.js$/, '.ts');
    if (existsSync(source)) continue;
    rmSync(output);
    rmSync(`${output}.map`, { force: true });
  }
}
