import type { RunReport } from './runFaults.js';

/** Prints what a run did, and what it found. */
export function printReport({ violations, faults, actions, answers }: RunReport): void {
  for (const [title, counts] of Object.entries({
    Faults: faults,
    Actions: actions,
    Answers: answers,
  })) {
    console.log(`\n${title}`);
    for (const [name, count] of Object.entries(counts).sort()) {
      console.log(`  ${String(count).padStart(6)}  ${name}`);
    }
  }
  console.log(`\n${violations.length} violations`);
  for (const text of violations) console.log(`  ${text}`);
}
