import type { Children } from './children.js';
import type { Env } from './findExecutable.js';
import { requirePython } from './requireTools.js';

const SCRIPT = `
import os, sys, zipfile
os.umask(0o022)
archive, target, *keep = sys.argv[1:]
with zipfile.ZipFile(archive) as zip:
    zip.extractall(target, [n for n in zip.namelist() if n.startswith(tuple(keep))])
for folder, _, names in os.walk(target):
    for path in [os.path.join(folder, name) for name in names] + [folder]:
        opened = os.open(path, os.O_RDONLY)
        os.fsync(opened)
        os.close(opened)
`;

/**
 * Unpacks a zip into a folder that everyone can read: only entries whose names begin with one of `keep`. It ends when the
 * disk holds them all. Otherwise a power cut could leave empty files in a folder that has its final name already.
 */
export async function unpackZip(
  { archive, target, keep }: { archive: string; target: string; keep: readonly string[] },
  { env, logFile, children }: { env: Env; logFile: string; children: Children },
): Promise<void> {
  await children.run(
    {
      command: await requirePython(env),
      args: ['-c', SCRIPT, archive, target, ...keep],
      env,
      logFile,
    },
    `Cannot unpack ${archive}`,
  );
}
