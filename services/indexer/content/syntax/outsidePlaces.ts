import type { Place } from './messageToken.js';

/** Changes the parts of a text outside some places, which come in order. `from` is the offset of a part. */
export function outsidePlaces(
  text: string,
  places: Iterable<Place>,
  change: (piece: string, from: number) => string,
): string {
  let changed = '';
  let done = 0;
  for (const { from, to } of places) {
    changed += change(text.slice(done, from), done) + text.slice(from, to);
    done = to;
  }
  return changed + change(text.slice(done), done);
}
