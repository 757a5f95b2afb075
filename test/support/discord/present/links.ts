import { createHmac } from 'node:crypto';
import type { Attachment } from '../model/entities.js';
import type { DiscordModel } from '../model/model.js';

/** Signs links to attachments, so that they expire, and checks them. */
export interface Links {
  /** A freshly signed link to an attachment of a channel. */
  sign(channelId: string, attachment: Attachment): string;
  /** The same link, freshly signed; null where it does not lead to an attachment. */
  refresh(url: string): string | null;
  /** The attachment that a link opens; null where its signature is wrong or expired, or the file is gone. */
  open(url: string): Attachment | null;
}

const SECRET = 'the signature of the double';
const PATH = /^\/attachments\/(\d{17,20})\/(\d{17,20})\/([^/]+)$/;

/** Makes links below a base address that are valid for some time. */
export function createLinks(
  model: DiscordModel,
  base: string,
  settings: { linkLifetimeSeconds: number },
): Links {
  const signed = (path: string): string => {
    const issued = Math.floor(Date.now() / 1000);
    const ex = (issued + settings.linkLifetimeSeconds).toString(16);
    const is = issued.toString(16);
    return `${base}${path}?ex=${ex}&is=${is}&hm=${signatureOf(path, ex, is)}&`;
  };
  const pathOf = (url: string): string | null => {
    if (!url.startsWith(`${base}/`) || !URL.canParse(url)) return null;
    const { pathname } = new URL(url);
    return PATH.test(pathname) ? pathname : null;
  };
  return {
    sign: (channelId, { id, filename }) =>
      signed(`/attachments/${channelId}/${id}/${encodeURIComponent(filename)}`),

    refresh(url) {
      const path = pathOf(url);
      return path === null ? null : signed(path);
    },

    open(url) {
      const path = pathOf(url);
      if (path === null) return null;
      const query = new URL(url).searchParams;
      const [ex = '', is = '', hm = ''] = ['ex', 'is', 'hm'].map((name) => query.get(name) ?? '');
      const isFresh = hm === signatureOf(path, ex, is) && parseInt(ex, 16) * 1000 > Date.now();
      const [, channelId = '', attachmentId = ''] = PATH.exec(path) ?? [];
      return isFresh ? findAttachment(model, channelId, attachmentId) : null;
    },
  };
}

function signatureOf(path: string, ex: string, is: string): string {
  return createHmac('sha256', SECRET).update(`${path} ${ex} ${is}`).digest('hex');
}

/** An attachment of an existing message, or one that was forwarded from there. */
function findAttachment(model: DiscordModel, channelId: string, id: string): Attachment | null {
  const own = model.messagesOf(channelId).flatMap(({ attachments }) => attachments);
  const forwarded = (): Attachment[] =>
    [...model.threads.keys()].flatMap((threadId) =>
      model
        .messagesOf(threadId)
        .flatMap(({ snapshot }) => (snapshot?.channelId === channelId ? snapshot.attachments : [])),
    );
  const isIt = (attachment: Attachment): boolean => attachment.id === id && !attachment.isLost;
  return own.find(isIt) ?? forwarded().find(isIt) ?? null;
}
