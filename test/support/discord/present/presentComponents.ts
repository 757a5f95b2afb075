import type { APIMessageTopLevelComponent } from 'discord-api-types/v10';
import type { Attachment } from '../model/entities.js';

/** How a component names a file that was sent with its message. */
const SENT = 'attachment://';

/**
 * The components of a message in the form in which the platform gives them: with links to the files that were sent with
 * it. `others` are its attachments that no component shows.
 */
export function presentComponents(
  { components, attachments }: { components: object[]; attachments: readonly Attachment[] },
  sign: (attachment: Attachment) => string,
): { components: APIMessageTopLevelComponent[]; others: Attachment[] } {
  const shown = new Set<Attachment>();
  const resolve = (_key: string, value: unknown): unknown => {
    const { url } = (value ?? {}) as { url?: unknown };
    if (typeof url !== 'string' || !url.startsWith(SENT)) return value;
    const attachment = attachments.find(({ filename }) => SENT + filename === url);
    if (!attachment) return value;
    shown.add(attachment);
    return mediaOf(attachment, sign(attachment));
  };
  const presented = JSON.parse(
    JSON.stringify(components),
    resolve,
  ) as APIMessageTopLevelComponent[];
  return { components: presented, others: attachments.filter((one) => !shown.has(one)) };
}

function mediaOf({ id, contentType, width, height }: Attachment, url: string): object {
  return {
    id,
    url,
    proxy_url: url,
    width: width ?? null,
    height: height ?? null,
    content_type: contentType,
    attachment_id: id,
  };
}
