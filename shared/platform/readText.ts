/**
 * The body of a response as text; null where it has more than `mostBytes`. Rejects where the response is cut off.
 */
export async function readText(response: Response, mostBytes: number): Promise<string | null> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.byteLength;
    if (bytes > mostBytes) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}
