import { AppError } from '../../../shared/contract/errors.js';
import { filePath, iconUrl } from '../../../shared/discordApi/cdnUrls.js';
import type { FileName } from '../../../shared/mirror/fileNames.js';
import type { Collections } from '../../../shared/store/collections.js';
import { unshownPeople } from '../../../shared/store/unshownPeople.js';
import type { Answer } from '../answer.js';
import type { RangeHeaders } from '../http/askedPart.js';
import type { Handler } from '../http/route.js';
import type { FileDeps } from './fileDeps.js';
import { mirroredFile } from './mirroredFile.js';
import { redirectTo } from './redirectTo.js';

/**
 * GET /avatars/:userId: the mirror's copy of a person's picture, or a redirect to its address. Throws NOT_FOUND where
 * the person never wrote, was erased, or is left out of every server where they wrote. Throws RANGE_NOT_SATISFIABLE.
 */
export function openAvatar(deps: FileDeps): Handler<{ userId: string }, unknown> {
  return async ({ params: { userId }, part }) => {
    return give(deps, await avatarOf(deps.store, userId), `avatars/${userId}`, part);
  };
}

/**
 * GET /icons/:serverId: the mirror's copy of a server's icon, or a redirect to its address. Throws NOT_FOUND and
 * RANGE_NOT_SATISFIABLE.
 */
export function openIcon(deps: FileDeps): Handler<{ serverId: string }, unknown> {
  return async ({ params: { serverId }, part }) => {
    return give(deps, await iconOf(deps.store, serverId), `icons/${serverId}`, part);
  };
}

/** A picture that may be shown. */
interface Picture {
  /** Its address at the platform. */
  source: string;
  /** Whether the mirror's copy of an earlier picture may be shown where it has no copy of this one. */
  mayBeOther: boolean;
}

async function give(
  { store, mirror, cdnUrl }: FileDeps,
  picture: Picture | null,
  name: FileName,
  part: RangeHeaders,
): Promise<Answer> {
  if (picture === null) throw new AppError('NOT_FOUND', 'Picture not found');
  const { source, mayBeOther } = picture;
  const copy = await mirroredFile(store, mirror, name, part, {
    // Where the current picture could not be copied, `problem` says why, and the copy is still that of an earlier one.
    mayShow: (record) => mayBeOther || (record.source === source && record.problem === undefined),
  });
  if (copy) return copy;
  // An export may name any address. Redirects must only lead to the platform.
  if (filePath(source, cdnUrl) === null) throw new AppError('NOT_FOUND', 'Picture not found');
  return redirectTo(source);
}

/**
 * A person's picture; null where nothing of them may be shown. A person may be left out of one server and shown on
 * another. Then the mirror may still hold the picture that they had on the first server, so an earlier picture must not
 * be shown in place of the current one.
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
