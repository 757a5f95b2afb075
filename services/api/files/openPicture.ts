import { AppError } from '../../../shared/contract/errors.js';
import { filePath, iconUrl } from '../../../shared/discordApi/cdnUrls.js';
import type { FileName } from '../../../shared/mirror/fileNames.js';
import type { Collections } from '../../../shared/store/collections.js';
import { unshownPeople } from '../../../shared/store/unshownPeople.js';
import type { Answer } from '../answer.js';
import type { Handler } from '../http/route.js';
import type { FileDeps } from './fileDeps.js';
import { mirroredFile } from './mirroredFile.js';
import { redirectTo } from './redirectTo.js';

/**
 * GET /avatars/:userId: the picture of somebody who wrote, or a redirect to it. Throws NOT_FOUND, also for a person who
 * was erased, or who is left out of every server where they wrote.
 */
export function openAvatar(deps: FileDeps): Handler<{ userId: string }, unknown> {
  return async ({ params: { userId } }) => {
    return give(deps, await avatarOf(deps.store, userId), `avatars/${userId}`);
  };
}

/** GET /icons/:serverId: a server's picture, or a redirect to it. Throws NOT_FOUND. */
export function openIcon(deps: FileDeps): Handler<{ serverId: string }, unknown> {
  return async ({ params: { serverId } }) => {
    return give(deps, await iconOf(deps.store, serverId), `icons/${serverId}`);
  };
}

/** A picture of the platform. */
interface Picture {
  source: string;
  /** Whether the mirror's copy of an earlier picture may be shown where it has no copy of this one. */
  mayBeOther: boolean;
}

async function give(
  { store, mirror, cdnUrl }: FileDeps,
  picture: Picture | null,
  name: FileName,
): Promise<Answer> {
  if (picture === null) throw new AppError('NOT_FOUND', 'Picture not found');
  const { source, mayBeOther } = picture;
  const copy = await mirroredFile(store, mirror, name, {
    // Where the current picture could not be copied, the record has a problem, and its copy is of an earlier picture.
    mayShow: (record) => mayBeOther || (record.source === source && record.problem === undefined),
  });
  if (copy) return copy;
  // Redirects lead only to the platform.
  if (filePath(source, cdnUrl) === null) throw new AppError('NOT_FOUND', 'Picture not found');
  return redirectTo(source);
}

/**
 * Somebody's picture; null where nothing of them is shown. A person may be left out of one server and shown on another.
 * The mirror may still hold their picture from the first server. So for them, only a copy of this very picture counts.
 */
async function avatarOf(store: Collections, userId: string): Promise<Picture | null> {
  const [unshown, members] = await Promise.all([
    unshownPeople(store),
    store.members.find({ userId }, { projection: { serverId: 1, avatar: 1 } }).toArray(),
  ]);
  const shown = members.find(({ serverId }) => !unshown.has(serverId, userId));
  return shown ? { source: shown.avatar, mayBeOther: !unshown.left.hasAnywhere(userId) } : null;
}

async function iconOf({ servers }: Collections, serverId: string): Promise<Picture | null> {
  // The record of a deleted server has no icon.
  const server = await servers.findOne({ _id: serverId }, { projection: { icon: 1 } });
  return server?.icon ? { source: iconUrl(serverId, server.icon), mayBeOther: true } : null;
}
