import { execFile } from 'node:child_process';
import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { findExecutable, isExecutable, type Env } from './findExecutable.js';
import { LaunchError } from './launchError.js';
import type { OtherUser } from './otherUser.js';

/** What a `java` tells of itself. */
export interface JavaFacts {
  home: string;
  version: number;
  /** Modules that Elasticsearch needs, but that this Java lacks, as a mere runtime does. */
  missing: string[];
}

const MINIMUM_VERSION = 21;
const NEEDED_MODULES = ['jdk.jdi', 'jdk.jlink'];

/** Parses the output of `java -XshowSettings:properties --list-modules`; undefined where it is something else. */
export function parseJavaFacts(output: string): JavaFacts | undefined {
  const home = /^\s*java\.home = (.+)$/m.exec(output)?.[1];
  const version = /^\s*java\.specification\.version = (?:1\.)?(\d+)/m.exec(output)?.[1];
  if (home === undefined || version === undefined) return undefined;
  const modules = new Set([...output.matchAll(/^([\w.]+)@/gm)].map((match) => match[1]));
  const missing = NEEDED_MODULES.filter((name) => !modules.has(name));
  return { home: home.trim(), version: Number(version), missing };
}

/** Why a Java cannot run Elasticsearch, in a few words; undefined where it can. */
export function javaProblem(facts: JavaFacts): string | undefined {
  if (facts.version < MINIMUM_VERSION) return `version ${facts.version}`;
  if (facts.missing.length > 0) return `a runtime without ${facts.missing.join(' and ')}`;
  return undefined;
}

/**
 * Finds the home of a full JDK 21 or newer: in ES_JAVA_HOME, JAVA_HOME, on the PATH, or in the folders of `jvmFolder`.
 * Each is tried as the user who will run it. So a JDK in a private folder of another user is skipped.
 */
export async function findJava(
  env: Env,
  user?: OtherUser,
  jvmFolder = '/usr/lib/jvm',
): Promise<string> {
  const rejected: string[] = [];
  for (const program of await javaCandidates(env, jvmFolder)) {
    const facts = await askJava(program, user);
    const problem = facts === undefined ? 'does not run' : javaProblem(facts);
    if (facts !== undefined && problem === undefined) return facts.home;
    rejected.push(`${program}: ${problem ?? ''}`);
  }
  const found = rejected.length === 0 ? '' : ` (found ${rejected.join('; ')})`;
  throw new LaunchError(
    `Elasticsearch needs a full JDK ${MINIMUM_VERSION} or newer${found}. Install one and set ES_JAVA_HOME to its folder, or set ELASTICSEARCH_URL`,
  );
}

async function javaCandidates(env: Env, jvmFolder: string): Promise<string[]> {
  const installed = (await readdir(jvmFolder).catch(() => [])).sort().reverse();
  const homes = [
    env['ES_JAVA_HOME'],
    env['JAVA_HOME'],
    ...installed.map((name) => join(jvmFolder, name)),
  ];
  const [preferred, others] = [homes.slice(0, 2), homes.slice(2)].map((group) =>
    group
      .filter((home) => home !== undefined && home !== '')
      .map((home) => join(home!, 'bin/java')),
  );
  const onPath = await findExecutable(env, 'java');
  const all = [...preferred!, ...(onPath === undefined ? [] : [onPath]), ...others!];
  const real: string[] = [];
  for (const program of all) {
    if (await isExecutable(program)) real.push(await realpath(program));
  }
  return [...new Set(real)];
}

function askJava(program: string, user?: OtherUser): Promise<JavaFacts | undefined> {
  const args = ['-XshowSettings:properties', '--list-modules'];
  return new Promise((resolve) => {
    execFile(program, args, { ...user, cwd: '/', timeout: 20_000 }, (_error, stdout, stderr) => {
      resolve(parseJavaFacts(`${stderr}\n${stdout}`));
    });
  });
}
