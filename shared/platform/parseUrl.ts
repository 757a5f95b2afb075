/** A URL from its text; null where it is none. */
export function parseUrl(text: string): URL | null {
  try {
    // Not URL.canParse: once optimised, Node 20's refuses hosts with letters beyond ASCII.
    return new URL(text);
  } catch {
    return null;
  }
}
