import { safeJson, safeText } from './safeText.js';

/**
 * Prints a result to standard output: as JSON for programs, or in lines for people. Names that come from outside are safe
 * for a terminal in both.
 */
export function printResult(
  { json, lines }: { json: object; lines: string[] },
  asJson = false,
): void {
  const text = asJson ? safeJson(json) : lines.map(safeText).join('\n');
  process.stdout.write(`${text}\n`);
}
