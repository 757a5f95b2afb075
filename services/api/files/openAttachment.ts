import { AppError } from '../../../shared/contract/errors.js';
import { PlatformForbidden } from '../../../shared/discordApi/platformErrors.js';
import { attachmentName } from '../../../shared/mirror/fileNames.js';
import type { Answer } from '../answer.js';
import type { Handler } from '../http/route.js';
import { Unavailable } from '../unavailable.js';
import type { FileDeps } from './fileDeps.js';
import { findAttachment, type FoundAttachment } from './findAttachment.js';
import { mirroredFile } from './mirroredFile.js';
import { redirectTo } from './redirectTo.js';

/**
 * GET /attachments/:messageId/:attachmentId: the mirror's copy of the file, or a redirect to its current address.
 * Caches have to revalidate the copy before each use, and must not store the redirect, because the file may be deleted,
 * erased or withheld at any time. Throws NOT_FOUND, RANGE_NOT_SATISFIABLE, NOT_CONFIGURED without DISCORD_BOT_TOKEN, and
 * UNAVAILABLE while the platform gives no link.
 */
export function openAttachment(
  deps: FileDeps,
): Handler<Pick<FoundAttachment, 'messageId' | 'attachmentId'>, unknown> {
  const { store, mirror, cdnUrl } = deps;
  return async ({ params, part }) => {
    const file = await findAttachment(store, params, cdnUrl);
    if (!file) throw notFound();
    const copy = await mirroredFile(store, mirror, attachmentName(file), part, {
      filename: file.filename,
    });
    return copy ?? redirect(deps, file);
  };
}

async function redirect({ links }: FileDeps, file: FoundAttachment): Promise<Answer> {
  if (!links) {
    // The link in the export may not have expired yet.
    if (file.exported !== null) return redirectTo(file.exported);
    throw new AppError('NOT_CONFIGURED', 'This API has no DISCORD_BOT_TOKEN');
  }
  const location = await links.linkOf(file).catch((error: unknown) => {
    if (error instanceof PlatformForbidden) return null;
    throw new Unavailable('The platform gives no link now; try again soon', 5, error);
  });
  if (location === null) throw notFound();
  return redirectTo(location);
}

function notFound(): AppError {
  return new AppError('NOT_FOUND', 'Attachment not found');
}
