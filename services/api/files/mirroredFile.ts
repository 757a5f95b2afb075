import type { FileName } from '../../../shared/mirror/fileNames.js';
import type { Collections } from '../../../shared/store/collections.js';
import { fileRecordId, syncOf, type SyncFile } from '../../../shared/store/syncRecords.js';
import type { Answer } from '../answer.js';
import type { ReadMirror } from './readMirror.js';

/** Media types that browsers may display. Other files are only offered to be saved. */
const SHOWN = /^(?:image\/(?:png|jpeg|gif|webp|avif)|(?:audio|video)\/[\w.+-]+|text\/plain)$/;

/** Media types of text and of scripts. The API sends such files as plain text, so that no page can run them. */
const TEXT = /^text\/|(?:java|ecma)script$/;

/**
 * Headers for any file. Somebody on the platform has sent it, so it may be a page with scripts. It must run no scripts,
 * have no access to this service's origin, and load nothing.
 */
const HARMLESS = {
  'Content-Security-Policy':
    "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/**
 * The mirror's copy of a file; null where there is none, or none that may be shown. A browser saves it as `filename`.
 * `mayShow` decides by the record of the copy.
 */
export async function mirroredFile(
  { sync }: Pick<Collections, 'sync'>,
  mirror: ReadMirror | null,
  name: FileName,
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
  const bytes = await mirror(key, length);
  if (!bytes) return null;
  const type = TEXT.test(told) ? 'text/plain' : told;
  const headers = { ...HARMLESS, 'Content-Disposition': disposition(type, filename) };
  const shownType = type === 'text/plain' ? 'text/plain; charset=utf-8' : type;
  return { etag, length, headers, file: { type: shownType, bytes } };
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
