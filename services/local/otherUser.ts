import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** A user other than root, by its numbers. */
export interface OtherUser {
  uid: number;
  gid: number;
}

const NOBODY: OtherUser = { uid: 65534, gid: 65534 };

/** The user to run Elasticsearch as: nobody when this process is root, which Elasticsearch refuses; else undefined. */
export function otherUser(): OtherUser | undefined {
  return process.getuid?.() === 0 ? NOBODY : undefined;
}

/** Whether every existing folder on the way to a path, and the path itself, may be entered by any user. */
export async function isOpenToOthers(path: string): Promise<boolean> {
  const absolute = resolve(path);
  const mode = await stat(absolute).then(
    (info) => info.mode,
    () => 0o777,
  );
  if ((mode & 0o001) === 0) return false;
  return absolute === '/' || isOpenToOthers(dirname(absolute));
}
