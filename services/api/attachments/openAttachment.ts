import { AppError } from '../../../shared/contract/errors.js';
import type { AttachmentLink } from '../../../shared/contract/threads.js';
import type { Collections } from '../../../shared/store/collections.js';
import { jsonAnswer } from '../answer.js';
import type { Handler } from '../http/route.js';
import { isId } from '../ids.js';
import { findAttachment, type FoundAttachment } from './findAttachment.js';
import type { FreshLinks } from './freshLinks.js';

/**
 * GET /attachments/:messageId/:attachmentId: a redirect to where the file is now. No cache may keep it, as what was
 * deleted, erased or withheld is not found at once. Throws NOT_FOUND, NOT_CONFIGURED without a bot's token, and
 * UNAVAILABLE while the platform gives no link.
 */
export function openAttachment(
  store: Collections,
  links: FreshLinks | null,
): Handler<Pick<FoundAttachment, 'messageId' | 'attachmentId'>, unknown> {
  return async ({ params }) => {
    const isAsked = isId(params.messageId) && isId(params.attachmentId);
    const file = isAsked ? await findAttachment(store, params) : null;
    if (!file) throw notFound();
    if (!links) throw new AppError('NOT_CONFIGURED', 'This API has no DISCORD_BOT_TOKEN');
    const location = await links.linkOf(file).catch(() => {
      throw new AppError('UNAVAILABLE', 'The platform gives no link now');
    });
    if (location === null) throw notFound();
    const answer: AttachmentLink = { location };
    return { ...jsonAnswer(answer), noStore: true, headers: { Location: location } };
  };
}

function notFound(): AppError {
  return new AppError('NOT_FOUND', 'Attachment not found');
}
