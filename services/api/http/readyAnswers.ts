import type { IncomingMessage } from 'node:http';
import type { CacheState } from '../answer.js';
import type { Form } from './forms.js';
import { headLines } from './headLines.js';
import { encodingClass } from './negotiate.js';
import type { Route } from './route.js';

/**
 * An answer that is cached for a URL, ready to be sent. Only the headers that differ from request to request are added.
 */
export interface ReadyAnswer {
  route: Route;
  /** The path as declared, with the names of its parameters. */
  path: string;
  form: ReadyForm;
  /** The body. A string holds one byte in each character (Latin-1). */
  body: Buffer | string;
  /** The headers of the answer, as lines of a head. */
  lines: string;
  /** The headers of a 304, as lines of a head. */
  notModifiedLines: string;
}

/** The part of a form that decides how it is sent, without its body and headers. */
export type ReadyForm = Pick<SentForm, 'etag' | 'length' | 'status' | 'cached'>;

/** A form with all that is needed to send it. In lists of headers, names and values alternate. */
export interface SentForm extends Pick<Form, 'etag' | 'length' | 'body'> {
  /** The HTTP status of the answer. */
  status: number;
  /** The headers of the answer. */
  headers: readonly string[];
  /** The headers of a 304. */
  notModified: readonly string[];
  cached: CacheState | undefined;
}

/**
 * A body of at most so many bytes is cached as a string with one byte in each character (Latin-1). Node joins a string
 * with the head, and writes both at once. This costs less than to write two buffers.
 */
const SENT_AS_TEXT = 65_536;

/** The name by which the response cache finds the ready answer for a request: its URL, and its class of encodings. */
export function readyName({ url = '', headers }: IncomingMessage): string {
  return encodingClass(headers['accept-encoding']) + url;
}

/** Makes the ready answer of a form; undefined where its body is not in memory. */
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

/** How many bytes the body of a ready answer takes, unless it shares them with the answer that it was made from. */
export function readySizeOf({ body }: ReadyAnswer): number {
  return typeof body === 'string' ? body.length : 0;
}
