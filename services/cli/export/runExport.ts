import { counted } from '../numbers.js';
import { requireMongo } from '../reachable.js';
import { runCommand } from '../runCommand.js';
import { exportArchive, type ExportSummary } from './exportArchive.js';

/** Options of `export`. */
export interface ExportOptions {
  force?: boolean;
  json?: boolean;
}

/** Writes the archive into a folder. Ends well when no thread was left out. */
export async function runExport(folder: string, options: ExportOptions): Promise<void> {
  await runCommand(options, async (archive) => {
    await requireMongo(archive);
    const force = options.force ?? false;
    const summary = await exportArchive(archive.mongo, folder, { force });
    const lines = [summaryLine(summary), ...leftOutLines(summary)];
    return { json: summary, lines, ok: summary.leftOut.length === 0 };
  });
}

function summaryLine({ threads, messages, forums, seconds }: ExportSummary): string {
  const alone = forums > 0 ? `, ${counted(forums, 'forum')} without threads` : '';
  const amount = `${counted(threads, 'thread')}, ${counted(messages, 'message')}${alone}`;
  return `Exported ${amount} (${seconds.toFixed(1)} s)`;
}

function leftOutLines({ leftOut }: ExportSummary): string[] {
  if (leftOut.length === 0) return [];
  const amount = counted(leftOut.length, 'thread');
  return [
    `Left out: ${amount} whose server or channel is not recorded`,
    ...leftOut.map((id) => `  ${id}`),
  ];
}
