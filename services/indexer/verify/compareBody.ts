import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { createGunzip, gunzipSync } from 'node:zlib';
import type { Collections } from '../../../shared/store/collections.js';
import type { BodyView } from '../../../shared/store/views.js';
import { tagOf } from '../stores/entityTag.js';
import { within, type IdWindow } from './idWindow.js';

type Bodies = Pick<Collections, 'bodies' | 'bodyChunks'>;

/** What a stored body must be. */
export interface ExpectedBody {
  /** False: it is gone, or was never there. */
  isShown: boolean;
  /** The revision it was built from, where that is known. */
  revision?: number;
  /** Its entity tag, where the whole text is known. */
  etag?: string;
  /** What is wrong with its text; not asked of texts too long to be held. */
  judge?: (text: string) => string | undefined;
}

/** How a stored body differs. */
export interface BodyProblem {
  problem: 'missing' | 'stale' | 'corrupt' | 'wrong' | 'shown';
  detail: string;
}

/** The stored bodies named by a prefix and an id of a window, with the ids. */
export async function* storedBodies(
  { bodies }: Bodies,
  window: IdWindow,
  prefix: string,
): AsyncGenerator<[id: string, body: BodyView]> {
  for await (const body of bodies.find({ _id: within(window, prefix) }).batchSize(500)) {
    yield [body._id.slice(prefix.length), body];
  }
}

/** Compares a stored body with what it must be; inflates it and hashes its text whenever readers can get it. */
export async function compareBody(
  store: Bodies,
  stored: BodyView | undefined,
  expected: ExpectedBody,
): Promise<BodyProblem | null> {
  const isThere = stored !== undefined && !stored.gone;
  if (!expected.isShown) {
    return isThere ? { problem: 'shown', detail: `${stored._id} can be read` } : null;
  }
  if (!isThere) {
    return { problem: 'missing', detail: stored ? `${stored._id} is gone` : 'There is no body' };
  }
  const { revision = stored.revision } = expected;
  if (stored.revision !== revision) {
    const detail = `${stored._id} is of revision ${stored.revision}, not ${revision}`;
    return { problem: 'stale', detail };
  }
  return compareText(store, stored, expected);
}

async function compareText(
  store: Bodies,
  stored: BodyView,
  { etag, judge }: ExpectedBody,
): Promise<BodyProblem | null> {
  const read = await readText(store, stored).catch((error: unknown) => ({
    problem: error instanceof Error ? error.message : String(error),
  }));
  if ('problem' in read)
    return { problem: 'corrupt', detail: `${stored._id} is damaged: ${read.problem}` };
  if (etag !== undefined && etag !== stored.etag) {
    return { problem: 'wrong', detail: `${stored._id} says something else` };
  }
  const fault = read.text === null ? undefined : judge?.(read.text);
  return fault === undefined ? null : { problem: 'wrong', detail: `${stored._id}: ${fault}` };
}

/** The text of a body, null when it is in pieces; or why it is not what its tag and length promise. */
async function readText(
  store: Bodies,
  body: BodyView,
): Promise<{ text: string | null } | { problem: string }> {
  if (!body.gzip) return readPieces(store, body);
  const bytes = gunzipSync(body.gzip.value(), { maxOutputLength: body.length + 1 });
  const problem = judgeBytes(body, createHash('sha256').update(bytes), bytes.length);
  return problem === undefined ? { text: bytes.toString() } : { problem };
}

async function readPieces(
  { bodyChunks }: Bodies,
  body: BodyView,
): Promise<{ text: null } | { problem: string }> {
  const hash = createHash('sha256');
  let length = 0;
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    for (let n = 0; n < (body.chunks ?? 0); n += 1) {
      const piece = await bodyChunks.findOne({ _id: `${body._id}/${body.revision}/${n}` });
      if (!piece) throw new Error(`piece ${n} is not there`);
      yield piece.data.value();
    }
  };
  const source = Readable.from(pieces());
  const inflated = source.pipe(createGunzip());
  source.on('error', (error) => inflated.destroy(error));
  for await (const bytes of inflated as AsyncIterable<Buffer>) {
    hash.update(bytes);
    length += bytes.length;
  }
  const problem = judgeBytes(body, hash, length);
  return problem === undefined ? { text: null } : { problem };
}

function judgeBytes({ etag, length }: BodyView, hash: Hash, found: number): string | undefined {
  if (found !== length) return `${found} bytes, not ${length}`;
  return tagOf(hash) === etag ? undefined : 'its text does not match its entity tag';
}
