import type { Document } from 'mongodb';
import type { Collections } from '../../../shared/store/collections.js';
import type { BodyView } from '../../../shared/store/views.js';
import { ownBytes } from '../answer.js';
import { gatherReads, type AskLimits } from '../../../shared/platform/gatherReads.js';

/** A stored body. `gzip` is missing where it is stored in pieces. `gone` marks a tombstone. */
export type StoredBody = Pick<BodyView, '_id' | 'revision' | 'etag' | 'length'> & {
  gone?: boolean | undefined;
  gzip?: Buffer | undefined;
};

/** Reads the body with a name, such as `thread/ID`; undefined where there is none. */
export type ReadBody = (name: string) => Promise<StoredBody | undefined>;

/** A body with more compressed bytes is read by itself, so that readers of short bodies do not wait for it. */
const LONGEST_GATHERED = 65_536;
/**
 * The most bodies of one call. All of them at LONGEST_GATHERED still fit into one reply of MongoDB, which has 16 MiB.
 */
const MOST_GATHERED = 128;
/** How many large bodies are read at once. */
const LARGE_AT_ONCE = 4;

const SIZE = { $binarySize: { $ifNull: ['$gzip', ''] } };
/**
 * A projection. `size` is the number of compressed bytes. `gzip` is left out where they are more than LONGEST_GATHERED.
 */
const SHORT: Document = {
  revision: 1,
  etag: 1,
  length: 1,
  gone: 1,
  size: SIZE,
  gzip: { $cond: [{ $lte: [SIZE, LONGEST_GATHERED] }, '$gzip', '$$REMOVE'] },
};

/** A document as it was read: by the projection SHORT with `size`, else without. */
type Row = Omit<StoredBody, 'gzip'> & { size?: number; gzip?: Uint8Array };

/** Makes a reader of bodies. It reads many short bodies by one call to MongoDB, and a large one by its own call. */
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
      // No other reader waits for this call. So the body is read whole, however large it is. Besides, MongoDB needs no
      // query plan to find a single `_id`.
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
