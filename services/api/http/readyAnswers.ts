import type { IncomingMessage } from 'node:http';
import type { CacheState } from '../answer.js';
import type { Form } from './forms.js';
import { headLines } from './headLines.js';
import { encodingClass } from './negotiate.js';
import type { Route } from './route.js';

/**
 * An answer in the form in which it is kept for a URL. Before it is sent, only the headers of the one request are
 * missing.
 */
export interface ReadyAnswer {
  route: Route;
  /** The path with the names of its parameters. */
  path: string;
  form: ReadyForm;
  body: Buffer | string;
  /** The headers of the answer, and those of a 304, as lines. */
  lines: string;
  notModifiedLines: string;
}

/** A form as it is kept. Its body is kept beside it, and its headers as lines. */
export type ReadyForm = Pick<SentForm, 'etag' | 'length' | 'status' | 'cached'>;

/** A form as it is sent. In lists of headers, names and values alternate. */
export interface SentForm extends Pick<Form, 'etag' | 'length' | 'body'> {
  /** The HTTP status of the answer. */
  status: number;
  /** The headers of the answer, and those of a 304. */
  headers: readonly string[];
  notModified: readonly string[];
  cached: CacheState | undefined;
}

/**
 * A body of at most so many bytes is kept as text with one character for each byte. Node writes it to the socket
 * together with the headers, which costs less than a write of two buffers.
 */
const SENT_AS_TEXT = 65_536;

/** The name under which the cache finds an answer for requests like this one. */
export function readyName({ url = '', headers }: IncomingMessage): string {
  return encodingClass(headers['accept-encoding']) + url;
}

/** Makes the form that is kept from one that is sent; undefined where its bytes are not in memory. */
export function makeReady(
  { route, path }: Pick<ReadyAnswer, 'route' | 'path'>,
  form: SentForm,
): ReadyAnswer | undefined {
  const { body } = form;
  if (!Buffer.isBuffer(body)) return undefined;
  const { etag, length, status, cached } = form;
  return {
    route,
    path,
    form: { etag, length, status, cached },
    body: body.length <= SENT_AS_TEXT ? body.toString('latin1') : body,
    lines: headLines(form.headers),
    notModifiedLines: headLines(form.notModified),
  };
}

/** How many bytes a ready answer takes in addition to the answer that it was made from. */
export function readySizeOf({ body }: ReadyAnswer): number {
  return typeof body === 'string' ? body.length : 0;
}
