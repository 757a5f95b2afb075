/**
 * The means of each kind as a text table, with one line for each kind and one column for each measure. `columns` maps
 * headings to measures.
 */
export function formatTable<T extends Record<keyof T, number> & { queries: number }>(
  kinds: ReadonlyMap<string, T>,
  columns: Record<string, keyof T>,
): string {
  const width = Math.max(...[...kinds.keys()].map((kind) => kind.length)) + 2;
  const line = (first: string, cells: string[]): string =>
    first.padEnd(width) + cells.map((cell) => cell.padStart(12)).join('');
  return [
    line('', ['queries', ...Object.keys(columns)]),
    ...[...kinds].map(([kind, scores]) =>
      line(kind, [
        String(scores.queries),
        ...Object.values(columns).map((name) => scores[name].toFixed(3)),
      ]),
    ),
  ].join('\n');
}
