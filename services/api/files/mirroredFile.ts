import { contentRange, lengthOf } from '../../../shared/mirror/bytePart.js';
import type { FileName } from '../../../shared/mirror/fileNames.js';
import type { Collections } from '../../../shared/store/collections.js';
import { fileRecordId, syncOf, type SyncFile } from '../../../shared/store/syncRecords.js';
import type { Answer } from '../answer.js';
import { askedPart, type RangeHeaders } from '../http/askedPart.js';
import { entityTag } from '../http/entityTag.js';
import type { ReadMirror } from './readMirror.js';

/** Media types that browsers may display. They offer all other files as downloads. */
const SHOWN = /^(?:image\/(?:png|jpeg|gif|webp|avif)|(?:audio|video)\/[\w.+-]+|text\/plain)$/;

/** Media types of text and of scripts. The API sends such files as plain text, so that no page can run them. */
const TEXT = /^text\/|(?:java|ecma)script$/;

/**
 * Headers of every file. A member of the platform uploaded it, so it may be a page with scripts. These headers keep it
 * from running scripts, from access to this service's origin, and from loading anything of other hosts. Pages of other
 * sites may embed it.
 */
const HARMLESS = {
  'Content-Security-Policy':
    "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/**
 * An answer with the mirror's copy of a file, or with the part of it that `asked` names. Null where there is none, where
 * it cannot be read, or where `mayShow` refuses its record. A browser saves it as `filename`. Throws
 * RANGE_NOT_SATISFIABLE.
 */
export async function mirroredFile(
  { sync }: Pick<Collections, 'sync'>,
  mirror: ReadMirror | null,
  name: FileName,
  asked: RangeHeaders,
  {
    filename = null,
    mayShow = () => true,
  }: { filename?: string | null; mayShow?: (record: SyncFile) => boolean } = {},
): Promise<Answer | null> {
  if (!mirror) return null;
  const _id = fileRecordId(name);
  const record = await syncOf(sync, 'file').findOne({ _id });
  if (!record?.copy || record.gone || !mayShow(record)) return null;
  const { key, bytes: length, type: told, sha256: etag } = record.copy;
  const part = askedPart(asked, length, entityTag(etag, 'identity'));
  const bytes = await mirror(key, length, part);
  if (!bytes) return null;
  const type = TEXT.test(told) ? 'text/plain' : told;
  const headers = { ...HARMLESS, 'Content-Disposition': disposition(type, filename) };
  const shownType = type === 'text/plain' ? 'text/plain; charset=utf-8' : type;
  const file = { type: shownType, bytes };
  if (!part) return { etag, length, headers, file };
  const range = contentRange(part, length);
  return { status: 206, etag, length: lengthOf(part), headers, file: { ...file, range } };
}

/** The Content-Disposition header: the name in ASCII for old clients, and the whole name as RFC 8187 encodes it. */
function disposition(type: string, filename: string | null): string {
  const kind = SHOWN.test(type) ? 'inline' : 'attachment';
  if (filename === null) return kind;
  const plain = filename.replace(/[^\w .()-]/g, '_');
  const whole = encodeURIComponent(filename.replace(/\p{Surrogate}/gu, '_')).replace(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${whole}`;
}
