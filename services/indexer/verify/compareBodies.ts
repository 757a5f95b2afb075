import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { createGunzip, gunzipSync } from 'node:zlib';
import type { Collections } from '../../../shared/store/collections.js';
import { bodyOwner, readPieces } from '../../../shared/store/pieces.js';
import type { BodyView } from '../../../shared/store/views.js';
import { RENDERER_VERSION } from '../content/renderContent.js';
import type { BodyTexts } from '../stores/bodyWriter.js';
import { etagOf, tagOf } from '../stores/entityTag.js';

type Bodies = Pick<Collections, 'bodies' | 'pieces'>;

/** The entity tag that a stored body must have; null where there must be no body. */
export type ExpectedTag = string | null;

/** A stored body that is not as it must be. `detail` describes how, for people. */
export interface BodyProblem {
  name: string;
  detail: string;
  /** The stored body; null where nothing is stored. */
  stored: Pick<BodyView, 'revision'> | null;
  /** The entity tag that is stored, and the one that must be stored. */
  basis: string;
  /** Whether readers can get the body although it must not exist. */
  isShown: boolean;
}

/** Compares stored bodies with the texts that they must have. Resolves with the problems. */
export function compareTexts(store: Bodies, texts: BodyTexts): Promise<BodyProblem[]> {
  const expected = [...texts].map(
    ([name, text]) => [name, text === null ? null : etagOf(text)] as const,
  );
  return compareBodies(store, new Map(expected));
}

/**
 * Compares stored bodies with what they must be. Each body that readers can get is inflated and hashed. Resolves with
 * the problems.
 */
export async function compareBodies(
  store: Bodies,
  expected: ReadonlyMap<string, ExpectedTag>,
): Promise<BodyProblem[]> {
  const problems: BodyProblem[] = [];
  const unseen = new Map(expected);
  const judge = async (name: string, stored: BodyView | null): Promise<void> => {
    const must = expected.get(name) ?? null;
    const problem = await problemOf(store, stored, must);
    const basis = `${stored?.etag} ${must}`;
    if (problem) problems.push({ name, stored, basis, ...problem });
  };
  for await (const stored of store.bodies.find({ _id: { $in: [...expected.keys()] } })) {
    unseen.delete(stored._id);
    await judge(stored._id, stored);
  }
  for (const name of unseen.keys()) await judge(name, null);
  return problems;
}

async function problemOf(
  store: Bodies,
  stored: BodyView | null,
  expected: ExpectedTag,
): Promise<Pick<BodyProblem, 'detail' | 'isShown'> | null> {
  const isThere = stored !== null && !stored.gone;
  if (expected === null) return isThere ? { detail: 'can be read', isShown: true } : null;
  const detail = isThere ? await faultOf(store, stored, expected) : 'is not there';
  return detail === undefined ? null : { detail, isShown: false };
}

async function faultOf(
  store: Bodies,
  stored: BodyView,
  expected: string,
): Promise<string | undefined> {
  if (stored.renderer !== RENDERER_VERSION) return `was made by renderer ${stored.renderer}`;
  const damage = await damageOf(store, stored).catch((error: unknown) =>
    error instanceof Error ? error.message : String(error),
  );
  if (damage !== undefined) return `is damaged: ${damage}`;
  return expected === stored.etag ? undefined : 'says something else';
}

/**
 * Resolves with the reason why the bytes of a body do not match its entity tag and length; with undefined where they
 * do. Throws where they cannot be read.
 */
async function damageOf(store: Bodies, body: BodyView): Promise<string | undefined> {
  if (!body.gzip) return damageOfPieces(store, body);
  const bytes = gunzipSync(body.gzip.value(), { maxOutputLength: body.length + 1 });
  return judgeBytes(body, createHash('sha256').update(bytes), bytes.length);
}

async function damageOfPieces(store: Bodies, body: BodyView): Promise<string | undefined> {
  const hash = createHash('sha256');
  let length = 0;
  const source = Readable.from(readPieces(store, bodyOwner(body._id, body.revision)));
  const inflated = source.pipe(createGunzip());
  source.on('error', (error) => inflated.destroy(error));
  for await (const bytes of inflated as AsyncIterable<Buffer>) {
    hash.update(bytes);
    length += bytes.length;
  }
  return judgeBytes(body, hash, length);
}

function judgeBytes({ etag, length }: BodyView, hash: Hash, found: number): string | undefined {
  if (found !== length) return `${found} bytes, not ${length}`;
  return tagOf(hash) === etag ? undefined : 'its text does not match its entity tag';
}
