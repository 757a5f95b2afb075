import type { Area } from './area.js';
import { keyOf, type Difference } from './difference.js';

/** Looks after the first: what keeps changing that long is being worked on. */
const LOOKS = 4;

/**
 * Those of some suspected differences that are no work in flight: found again in the same state after `settle`, which
 * waits for what is under way and gives the area to look at. What turns up only then is looked at once more.
 */
export async function confirm(
  suspects: Difference[],
  settle: () => Promise<Area>,
): Promise<Difference[]> {
  const confirmed = new Map<string, Difference>();
  let before = suspects;
  for (let look = 1; look <= LOOKS && before.length > 0; look += 1) {
    const area = await settle();
    const seen = new Set(before.map(keyOf));
    const now = await lookAgain(area, before);
    for (const difference of now) {
      if (seen.has(keyOf(difference))) confirmed.set(keyOf(difference), difference);
    }
    before = now.filter((difference) => !seen.has(keyOf(difference)));
  }
  return [...confirmed.values()];
}

/** What differs now in what some differences are about. */
export async function lookAgain(area: Area, suspects: Difference[]): Promise<Difference[]> {
  const ids = [...new Set(suspects.map(({ id }) => id))];
  const found: Difference[] = [];
  if (ids.length === 0) return found;
  for await (const window of area.windows(ids)) found.push(...(await area.look(window)));
  return found;
}
