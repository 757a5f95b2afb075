import { dirname, extname } from 'node:path';
import { importJobId } from '../../../shared/jobs/importJobId.js';
import { runAudited } from '../runAudited.js';
import { walkFiles } from '../walkFiles.js';
import { importFound } from './importFound.js';
import { isClean, summaryJson, summaryLines } from './importSummary.js';

/** Options of `import`. */
export interface ImportOptions {
  wait?: boolean;
  json?: boolean;
}

const MOST_PATHS = 20;
const LONGEST_PATH = 1_024;

/**
 * Imports files and folders. In a data folder without running servers, it starts them for as long as the import takes.
 */
export async function runImport(paths: string[], options: ImportOptions): Promise<void> {
  // A wrong path is told before any server is started.
  const files = await walkFiles(paths);
  const entry = { operation: 'importExport', params: told(paths) };
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
function told(paths: readonly string[]): Record<string, unknown> {
  const folders = [...new Set(paths.map((path) => (extname(path) === '' ? path : dirname(path))))];
  const shown = folders.slice(0, MOST_PATHS).map((path) => path.slice(0, LONGEST_PATH));
  return { paths: shown, ...(paths.length > shown.length && { pathCount: paths.length }) };
}
