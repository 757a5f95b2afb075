/** The most ids that one query names. So the size of a query and the time it takes stay bounded. */
const MOST_IDS = 1_000;

/** A list in slices short enough for one query each. */
export function slices<T>(list: readonly T[], most = MOST_IDS): T[][] {
  return Array.from({ length: Math.ceil(list.length / most) }, (_, n) =>
    list.slice(n * most, (n + 1) * most),
  );
}
