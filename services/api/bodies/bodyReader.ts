import type { Document } from 'mongodb';
import type { Collections } from '../../../shared/store/collections.js';
import type { BodyView } from '../../../shared/store/views.js';
import { ownBytes } from '../answer.js';
import { gatherReads, type AskLimits } from '../../../shared/platform/gatherReads.js';

/** A stored body as it was read. Its bytes are missing where it is stored in pieces. */
export type StoredBody = Pick<BodyView, '_id' | 'revision' | 'etag' | 'length'> & {
  gone?: boolean | undefined;
  gzip?: Buffer | undefined;
};

/** Reads the body with a name; undefined when there is none. */
export type ReadBody = (name: string) => Promise<StoredBody | undefined>;

/** A gzip form with more bytes is read by itself, so that readers of short bodies do not wait for it. */
const LONGEST_GATHERED = 65_536;
/**
 * The most bodies of one call. All of them at LONGEST_GATHERED still fit into one reply of MongoDB, which has 16 MiB.
 */
const MOST_GATHERED = 128;
/** How many large bodies are read at once. */
const LARGE_AT_ONCE = 4;

const SIZE = { $binarySize: { $ifNull: ['$gzip', ''] } };
/** A projection. `size` is the length of the gzip form, and `gzip` is there only where that is short. */
const SHORT: Document = {
  revision: 1,
  etag: 1,
  length: 1,
  gone: 1,
  size: SIZE,
  gzip: { $cond: [{ $lte: [SIZE, LONGEST_GATHERED] }, '$gzip', '$$REMOVE'] },
};

/** `size` is there only in a document that was read together with others. */
type Row = Omit<StoredBody, 'gzip'> & { size?: number; gzip?: Uint8Array };

/**
 * Reads bodies by name. Bodies with a short gzip form are read many in one call, others in a call of their own.
 */
export function bodyReader({ bodies }: Pick<Collections, 'bodies'>, limits: AskLimits): ReadBody {
  const findShort = async (names: string[]): Promise<Map<string, Row>> => {
    const rows = await bodies
      .find<Row>(
        { _id: { $in: [...new Set(names)] } },
        { projection: SHORT, promoteBuffers: true, batchSize: names.length + 1 },
      )
      .toArray();
    return new Map(rows.map((row) => [row._id, row]));
  };
  const findWhole = async (_id: string): Promise<Row | undefined> =>
    (await bodies.findOne<Row>({ _id }, { promoteBuffers: true })) ?? undefined;
  const readShort = gatherReads<string, Row | undefined>({
    ...limits,
    most: MOST_GATHERED,
    async call(names) {
      // No other reader waits for a body that is asked for alone, so it is read whole, however long it is. For a single
      // `_id`, MongoDB needs no query plan.
      if (names.length === 1) return [await findWhole(names[0]!)];
      const found = await findShort(names);
      return names.map((name) => found.get(name));
    },
  });
  const readLarge = gatherReads<string, Row | undefined>({
    ...limits,
    most: 1,
    atOnce: LARGE_AT_ONCE,
    call: async ([name = '']) => [await findWhole(name)],
  });
  return async (name) => {
    const row = await readShort(name);
    const isLarge = row && !row.gzip && (row.size ?? 0) > 0;
    return stored(isLarge ? await readLarge(name) : row);
  };
}

function stored(row: Row | undefined): StoredBody | undefined {
  if (!row) return undefined;
  const { _id, revision, etag, length, gone, gzip } = row;
  return { _id, revision, etag, length, gone, gzip: gzip && ownBytes(gzip) };
}
