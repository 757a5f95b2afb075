import { readText } from '../platform/readText.js';

/** The largest answer that is read. No answer of the platform is nearly as large. */
const MOST_BYTES = 32 << 20;

/** The body as JSON; undefined where it is no JSON, is cut off, or is larger than MOST_BYTES. */
export async function readJson(response: Response): Promise<unknown> {
  try {
    const text = await readText(response, MOST_BYTES);
    return text === null ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}
