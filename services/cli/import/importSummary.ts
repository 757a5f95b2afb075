import { counted, formatCount } from '../numbers.js';
import { safeText } from '../safeText.js';

/** A file that was not taken. */
export interface Problem {
  file: string;
  reason: string;
  at?: string;
}

/** What an import did. Without waiting, `imported` and `unchanged` are 0 and `queued` tells what is still to come. */
export interface ImportSummary {
  importId: string;
  queued: number;
  imported: number;
  unchanged: number;
  skipped: Problem[];
  refused: Problem[];
  rejected: Problem[];
  /** Files in folders that are no JSON. */
  ignored: number;
  threads: number;
  messages: number;
  seconds: number;
}

/** Whether every file was taken or is none to take. */
export function isClean(summary: ImportSummary): boolean {
  return summary.refused.length === 0 && summary.rejected.length === 0;
}

/** The summary as JSON tells it. */
export function summaryJson(summary: ImportSummary): object {
  return { ...summary, messagesPerSecond: rate(summary) };
}

/** The summary in lines for people. */
export function summaryLines(summary: ImportSummary): string[] {
  const { ignored, queued, unchanged } = summary;
  return [
    ...(queued > 0 ? [`${counted(queued, 'file')} stored and queued`] : [totals(summary)]),
    ...(unchanged > 0 ? [`Unchanged: ${counted(unchanged, 'file')}`] : []),
    ...problemLines('Skipped', summary.skipped),
    ...problemLines('Refused', summary.refused),
    ...problemLines('Rejected', summary.rejected),
    ...(ignored > 0 ? [`${counted(ignored, 'other file')} ignored`] : []),
  ];
}

function totals(summary: ImportSummary): string {
  const { imported, threads, messages, seconds } = summary;
  const amount = `${counted(threads, 'thread')}, ${counted(messages, 'message')}`;
  const pace = `${seconds.toFixed(1)} s, ${formatCount(rate(summary))} messages/s`;
  return `Imported ${counted(imported, 'file')}: ${amount} (${pace})`;
}

function rate({ messages, seconds }: ImportSummary): number {
  return Math.round(messages / Math.max(seconds, 0.001));
}

function problemLines(title: string, problems: readonly Problem[]): string[] {
  if (problems.length === 0) return [];
  return [
    `${title}: ${counted(problems.length, 'file')}`,
    ...problems.map(({ file, reason, at }) =>
      safeText(`  ${file}: ${reason}${at === undefined ? '' : ` (at ${at})`}`),
    ),
  ];
}
