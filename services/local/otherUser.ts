import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** A user other than root, as the numbers of user and group. */
export interface OtherUser {
  uid: number;
  gid: number;
}

const NOBODY: OtherUser = { uid: 65534, gid: 65534 };

/**
 * The user who runs Elasticsearch where this process is root, because Elasticsearch refuses to run as root. It is the
 * user nobody. Undefined where this process is not root.
 */
export function otherUser(): OtherUser | undefined {
  return process.getuid?.() === 0 ? NOBODY : undefined;
}

/** Whether any user may enter a path, and every existing folder on the way to it. */
export async function isOpenToOthers(path: string): Promise<boolean> {
  const absolute = resolve(path);
  const mode = await stat(absolute).then(
    (info) => info.mode,
    () => 0o777,
  );
  if ((mode & 0o001) === 0) return false;
  return absolute === '/' || isOpenToOthers(dirname(absolute));
}
