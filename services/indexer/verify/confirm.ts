import type { Area } from './area.js';
import { keyOf, type Difference } from './difference.js';

/** How many looks follow the first one at most. What keeps changing for longer is being worked on. */
const LOOKS = 4;

/**
 * Confirms suspected differences. `settle` waits for work that is under way, and resolves with the area to look at. A
 * difference that is then found in the same state is confirmed. A difference that is only found then is looked for once
 * more. Resolves with the confirmed differences.
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

/** Looks again at the ids that some differences are about. Resolves with what differs now. */
export async function lookAgain(area: Area, suspects: Difference[]): Promise<Difference[]> {
  const ids = [...new Set(suspects.map(({ id }) => id))];
  const found: Difference[] = [];
  if (ids.length === 0) return found;
  for await (const window of area.windows(ids)) found.push(...(await area.look(window)));
  return found;
}
