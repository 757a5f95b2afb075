/** A URL from its text; null where it is none. */
export function parseUrl(text: string): URL | null {
  try {
    // URL.canParse is not used: in Node 20, once it is optimised, it refuses hosts with letters beyond ASCII.
    return new URL(text);
  } catch {
    return null;
  }
}
