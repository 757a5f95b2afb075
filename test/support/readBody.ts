import { gunzipSync } from 'node:zlib';
import type { Collections } from '../../shared/store/collections.js';

/** A stored body, parsed; null when it is not there or gone. */
export async function readBody<T>(
  { bodies, bodyChunks }: Collections,
  id: string,
): Promise<T | null> {
  const body = await bodies.findOne({ _id: id });
  if (!body || body.gone) return null;
  if (body.gzip) return JSON.parse(gunzipSync(body.gzip.buffer).toString()) as T;
  const chunks = await bodyChunks.find({ body: id, revision: body.revision }).toArray();
  const inOrder = chunks.sort(
    (left, right) => Number(left._id.split('/').at(-1)) - Number(right._id.split('/').at(-1)),
  );
  return JSON.parse(
    gunzipSync(Buffer.concat(inOrder.map(({ data }) => data.buffer))).toString(),
  ) as T;
}
