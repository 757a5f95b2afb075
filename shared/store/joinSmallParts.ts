/** Parts with fewer bytes are joined. */
const SMALL_BYTES = 4_096;

/**
 * Joins the small parts of a source, so that each part but the last has SMALL_BYTES or more. A client may send each byte
 * by itself. Every part takes a few hundred bytes of memory besides its own.
 */
export async function* joinSmallParts(
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const small = new Uint8Array(SMALL_BYTES);
  let held = 0;
  for await (const part of source) {
    if (held + part.length < SMALL_BYTES) {
      small.set(part, held);
      held += part.length;
      continue;
    }
    yield held === 0 ? part : Buffer.concat([small.subarray(0, held), part]);
    held = 0;
  }
  if (held > 0) yield small.subarray(0, held);
}
