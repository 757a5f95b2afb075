import { counted } from '../numbers.js';
import { runCommand } from '../runCommand.js';
import { exportArchive, type ExportSummary } from './exportArchive.js';

/** Options of `export`. */
export interface ExportOptions {
  force?: boolean;
  json?: boolean;
}

/** Writes the archive into a folder. The result is ok where no thread was left out. */
export async function runExport(folder: string, options: ExportOptions): Promise<void> {
  await runCommand(options, async (archive) => {
    const force = options.force ?? false;
    const summary = await exportArchive(archive.mongo, folder, { force });
    const { leftOut, damaged } = summary;
    const lines = [
      summaryLine(summary),
      ...leftOutLines(leftOut, 'whose server or channel is not recorded'),
      ...leftOutLines(
        damaged,
        'of which a record is damaged, or a message is too large for an import',
      ),
    ];
    return { json: summary, lines, ok: leftOut.length + damaged.length === 0 };
  });
}

function summaryLine({ threads, messages, forums, seconds }: ExportSummary): string {
  const alone = forums > 0 ? `, ${counted(forums, 'forum')} without threads` : '';
  const amount = `${counted(threads, 'thread')}, ${counted(messages, 'message')}${alone}`;
  return `Exported ${amount} (${seconds.toFixed(1)} s)`;
}

function leftOutLines(threadIds: readonly string[], why: string): string[] {
  if (threadIds.length === 0) return [];
  return [
    `Left out: ${counted(threadIds.length, 'thread')} ${why}`,
    ...threadIds.map((id) => `  ${id}`),
  ];
}
