import { dirname } from 'node:path';
import { importJobId } from '../../../shared/jobs/importJobId.js';
import { runAudited } from '../runAudited.js';
import { walkFiles, type FoundFile } from '../walkFiles.js';
import { importFound } from './importFound.js';
import { isClean, summaryJson, summaryLines } from './importSummary.js';

/** Options of `import`. */
export interface ImportOptions {
  wait?: boolean;
  json?: boolean;
}

const MOST_PATHS = 20;

/**
 * Imports files and folders. In a data folder without running servers, it starts them for as long as the import takes.
 */
export async function runImport(paths: string[], options: ImportOptions): Promise<void> {
  // A wrong path is told before any server is started.
  const files = await walkFiles(paths);
  const entry = { operation: 'importExport', params: told(paths, files) };
  await runAudited({ ...options, mayStart: true }, entry, async (archive) => {
    const summary = await importFound(archive, files, { wait: options.wait ?? true });
    return {
      json: summaryJson(summary),
      lines: summaryLines(summary),
      ok: isClean(summary),
      jobId: importJobId(summary.importId),
    };
  });
}

/**
 * The paths, as the audit trail stores them: only their folders. Exporters name files after threads, and no deletion or
 * erasure looks for titles in the audit trail. Also, a shell may make thousands of paths from one pattern.
 */
function told(paths: readonly string[], files: readonly FoundFile[]): Record<string, unknown> {
  const named = new Set(files.filter((file) => file.named).map(({ path }) => path));
  const folders = [...new Set(paths.map((path) => (named.has(path) ? dirname(path) : path)))];
  const shown = folders.slice(0, MOST_PATHS);
  return { paths: shown, ...(paths.length > shown.length && { pathCount: paths.length }) };
}
