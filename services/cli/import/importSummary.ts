import { counted, formatCount } from '../numbers.js';

/** A file that was not taken. */
export interface Problem {
  file: string;
  reason: string;
  at?: string;
}

/**
 * The result of an import. Without waiting, `imported` and `unchanged` are 0, and `queued` counts the files that are
 * left.
 */
export interface ImportSummary {
  importId: string;
  queued: number;
  /** Whether nothing imports the queued files until an indexer runs: the servers stop together with the command. */
  waitsForIndexer: boolean;
  imported: number;
  unchanged: number;
  skipped: Problem[];
  refused: Problem[];
  rejected: Problem[];
  /** Ids of the threads that are recorded, but could not be built. */
  quarantined: string[];
  /** How many files in folders are no JSON. */
  ignored: number;
  threads: number;
  messages: number;
  seconds: number;
}

/** Whether every file was taken or is no export of a thread, and its thread can be read. */
export function isClean({ refused, rejected, quarantined }: ImportSummary): boolean {
  return refused.length === 0 && rejected.length === 0 && quarantined.length === 0;
}

/** The summary as JSON shows it. */
export function summaryJson(summary: ImportSummary): object {
  return { ...summary, messagesPerSecond: rate(summary) };
}

/** The summary in lines for people. */
export function summaryLines(summary: ImportSummary): string[] {
  const { ignored, queued, waitsForIndexer } = summary;
  return [
    ...(queued > 0 ? [`${counted(queued, 'file')} stored and queued`] : [totals(summary)]),
    ...(waitsForIndexer
      ? ['They wait until an indexer runs on this archive: npm start runs one']
      : []),
    ...problemLines('Skipped', summary.skipped),
    ...problemLines('Refused', summary.refused),
    ...problemLines('Rejected', summary.rejected),
    ...quarantinedLines(summary.quarantined),
    ...(ignored > 0 ? [`${counted(ignored, 'other file')} ignored (no JSON)`] : []),
  ];
}

function totals(summary: ImportSummary): string {
  const { imported, unchanged, threads, messages, seconds } = summary;
  const amount = `${counted(threads, 'thread')}, ${counted(messages, 'message')}`;
  const pace = `${seconds.toFixed(1)} s, ${formatCount(rate(summary))} messages/s`;
  const same = unchanged > 0 ? `, and ${formatCount(unchanged)} unchanged` : '';
  return `Imported ${counted(imported, 'file')}${same}: ${amount} (${pace})`;
}

function rate({ messages, seconds }: ImportSummary): number {
  return Math.round(messages / Math.max(seconds, 0.001));
}

function problemLines(title: string, problems: readonly Problem[]): string[] {
  if (problems.length === 0) return [];
  return [
    `${title}: ${counted(problems.length, 'file')}`,
    ...problems.map(
      ({ file, reason, at }) => `  ${file}: ${reason}${at === undefined ? '' : ` (at ${at})`}`,
    ),
  ];
}

/**
 * The quarantined threads, in lines for people. They are named by their ids: a file's name is removed once it is taken.
 */
function quarantinedLines(threadIds: readonly string[]): string[] {
  if (threadIds.length === 0) return [];
  return [
    `Quarantined: ${counted(threadIds.length, 'thread')} that could not be built (GET /admin/quarantine tells why)`,
    ...threadIds.map((id) => `  ${id}`),
  ];
}
