/** The largest answer that is read. No answer of the platform is nearly as large. */
const MOST_BYTES = 32 << 20;

/** The body as JSON; undefined where it is no JSON, is cut off, or is larger than MOST_BYTES. */
export async function readJson(response: Response): Promise<unknown> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const part of response.body ?? []) {
      bytes += part.byteLength;
      if (bytes > MOST_BYTES) return undefined;
      parts.push(part);
    }
    return JSON.parse(Buffer.concat(parts).toString()) as unknown;
  } catch {
    return undefined;
  }
}
