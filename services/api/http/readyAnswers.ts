import type { IncomingMessage } from 'node:http';
import type { Operation } from '../../../shared/contract/operation.js';
import type { CacheState } from '../answer.js';
import type { Form } from './forms.js';
import { headLines } from './headLines.js';
import { encodingClass } from './negotiate.js';

/** A form of an answer as it is kept for a URL: what is sent needs nothing but the headers of the one request. */
export interface ReadyAnswer {
  operation: Pick<Operation, 'operationId' | 'limitedAs'>;
  /** The path with its parameters' names. */
  path: string;
  form: ReadyForm;
  /** The headers of the answer with its body, and of 304, as lines. */
  lines: string;
  notModifiedLines: string;
}

/** A form as it is kept: its headers stand beside it, as lines. */
export type ReadyForm = Omit<SentForm, 'headers' | 'notModified'>;

/** A form as it is sent. Headers are names and values in turn. */
export interface SentForm extends Pick<Form, 'etag' | 'length'> {
  /** The HTTP status of an answer with its body. */
  status: number;
  body: Buffer | string | Form['open'];
  /** Headers of an answer with its body, and of 304. */
  headers: readonly string[];
  notModified: readonly string[];
  cached: CacheState | undefined;
}

/**
 * A body of at most so many bytes is kept as text of one character a byte, which Node writes to the socket together
 * with the headers. That costs less than a write of two buffers.
 */
const SENT_AS_TEXT = 65_536;

/** The name under which the cache knows an answer for requests like this one. */
export function readyName({ url = '', headers }: IncomingMessage): string {
  return encodingClass(headers['accept-encoding']) + url;
}

/** The form that is kept of one that is sent; undefined when its bytes are not at hand. */
export function makeReady(
  about: Pick<ReadyAnswer, 'operation' | 'path'>,
  form: SentForm,
): ReadyAnswer | undefined {
  const { body } = form;
  if (!Buffer.isBuffer(body)) return undefined;
  const kept = body.length <= SENT_AS_TEXT ? body.toString('latin1') : body;
  const { etag, length, status, cached } = form;
  return {
    operation: about.operation,
    path: about.path,
    form: { etag, length, status, cached, body: kept },
    lines: headLines(form.headers),
    notModifiedLines: headLines(form.notModified),
  };
}

/** Bytes that a ready answer takes beside the answer that it was made from. */
export function readySizeOf({ form: { body } }: ReadyAnswer): number {
  return typeof body === 'string' ? body.length : 0;
}
