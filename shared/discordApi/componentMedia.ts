import type { LiveAttachment, LiveComponent, LiveMedia, LiveSnapshot } from './answerTypes.js';

/** A flag of an attachment: it must not be shown before the reader asks for it. */
export const SPOILER_FILE = 1 << 3;

/** A picture or another file that a component shows. */
export interface ComponentMedia {
  media: LiveMedia;
  /** The component, or one around it, is hidden until it is clicked on. */
  isHidden: boolean;
  /** What the media shows, in the words of its author. */
  description?: string | null | undefined;
  /** The name and size (bytes) of a file, where they are told. */
  name?: string | null | undefined;
  size?: number | null | undefined;
}

/**
 * The files that were sent with a message. The platform tells of a file that a component shows in the component, and not
 * among the attachments. Where a file is told in several places, it is returned once, and is a spoiler if one of them
 * says so.
 */
export function sentFiles({ attachments = [], components = [] }: LiveSnapshot): LiveAttachment[] {
  const files = new Map<string, LiveAttachment>();
  for (const file of [...attachments, ...mediaIn(components).flatMap(asAttachment)]) {
    const known = files.get(file.id);
    const flags = (known?.flags ?? 0) | (file.flags ?? 0);
    files.set(file.id, known ? { ...known, flags } : file);
  }
  return [...files.values()];
}

/** What a message's components show from elsewhere: nothing of it was sent with the message. */
export function foreignMedia({ components = [] }: LiveSnapshot): ComponentMedia[] {
  return mediaIn(components).filter(({ media }) => !media.attachment_id);
}

/** The media of some components and of the components inside them, in the order in which they are shown. */
function mediaIn(components: readonly LiveComponent[], isInHidden = false): ComponentMedia[] {
  return components.flatMap((component) => {
    const { media, file, items = [], components: inner = [], accessory } = component;
    const { description, name, size } = component;
    const isHidden = isInHidden || component.spoiler === true;
    return [
      ...(media ? [{ media, isHidden, description }] : []),
      ...(file ? [{ media: file, isHidden, name, size }] : []),
      ...items.map(({ spoiler, ...item }) => ({ ...item, isHidden: isHidden || spoiler === true })),
      ...mediaIn([...inner, ...(accessory ? [accessory] : [])], isHidden),
    ];
  });
}

function asAttachment({
  media,
  isHidden,
  description,
  name,
  size,
}: ComponentMedia): LiveAttachment[] {
  const { attachment_id: id, url, width = null, height = null, content_type: type } = media;
  if (!id) return [];
  const file = { id, url, filename: name || nameIn(url), size: size ?? 0, width, height };
  const told = { ...(description && { description }), ...(type && { content_type: type }) };
  return [{ ...file, ...told, flags: isHidden ? SPOILER_FILE : 0 }];
}

/** The last part of an address, as the name of a file. */
function nameIn(address: string): string {
  const last = /([^/?#]+)(?:[?#].*)?$/.exec(address)?.[1] ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
