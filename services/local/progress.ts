import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Report } from './report.js';

/** With the longest label, and amounts of gigabytes, a line fits into 80 columns. */
const BAR_WIDTH = 24;

/** Bytes in whole megabytes of 1,000,000, such as `947 MB`. */
export function formatBytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

/** A line about a long piece of work: a label, a bar, the share that is done (0 to 1), and the amount as text. */
export function progressLine(label: string, share: number, amount: string): string {
  const filled = Math.round(share * BAR_WIDTH);
  const bar = '#'.repeat(filled) + '-'.repeat(BAR_WIDTH - filled);
  const percent = String(Math.floor(share * 100)).padStart(3);
  return `${label} [${bar}] ${percent}%  ${amount}`.trimEnd();
}

/** The size of all files under a folder (bytes). A file that disappears meanwhile counts 0. */
export async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** While `work` runs, reports once a second how far a folder has grown. Resolves with the result of `work`. */
export async function withProgress<T>(
  report: Report,
  { label, folder, total }: { label: string; folder: string; total: number },
  work: () => Promise<T>,
): Promise<T> {
  const timer = setInterval(() => {
    void folderBytes(folder).then((bytes) => {
      const done = Math.min(bytes, total);
      const amount = `${formatBytes(done)} of ${formatBytes(total)}`;
      report.progress(progressLine(label, done / total, amount));
    });
  }, 1000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
