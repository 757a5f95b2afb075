import type { AdminJob } from '../../../shared/contract/admin.js';
import { importIdOf } from '../../../shared/jobs/importJobId.js';
import type { Producer } from '../../../shared/jobs/producer.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { ImportFileRecord } from '../../../shared/store/views.js';
import { timeLimit } from '../timeLimit.js';

type Records = Pick<Collections, 'imports' | 'importFiles'>;

/** Files told one by one in an import's state. */
const MOST_FILES = 1_000;

/** An import as one job: told from its files' records, which outlive the queue. Null where the id is of no import. */
export async function findImport(
  { imports, importFiles }: Records,
  jobId: string,
): Promise<(AdminJob & { files: object[] }) | null> {
  const importId = importIdOf(jobId);
  if (importId === undefined) return null;
  const [record, files] = await Promise.all([
    imports.findOne({ _id: importId }, timeLimit()),
    importFiles.find({ importId }, timeLimit()).sort({ _id: 1 }).limit(MOST_FILES).toArray(),
  ]);
  if (!record) return null;
  const of = (state: ImportFileRecord['state']): number =>
    files.filter((file) => file.state === state).length;
  const queued = of('queued');
  const ends = files.map(({ finishedAt }) => finishedAt?.getTime() ?? 0);
  return {
    jobId,
    name: 'import',
    state: queued === 0 ? 'done' : queued === files.length ? 'queued' : 'active',
    progress: files.length === 0 ? 1 : 1 - queued / files.length,
    counts: {
      files: files.length,
      imported: of('imported'),
      unchanged: of('unchanged'),
      rejected: of('rejected'),
      messages: files.reduce((sum, file) => sum + (file.messages ?? 0), 0),
    },
    error: null,
    attempts: 0,
    queuedAt: record.createdAt.toISOString(),
    finishedAt: queued === 0 && files.length > 0 ? new Date(Math.max(...ends)).toISOString() : null,
    files: files.map(({ name, state, reason, threadId, messages }) => ({
      ...{ name, state, reason, threadId, messages },
    })),
  };
}

/** Files the jobs of an import's waiting files again. */
export async function refileImport(
  { importFiles }: Records,
  producer: Pick<Producer, 'add'>,
  jobId: string,
): Promise<void> {
  const importId = importIdOf(jobId) ?? '';
  const waiting = importFiles.find({ importId, state: 'queued' }, { projection: { _id: 1 } });
  for (const { _id } of await waiting.toArray())
    await producer.add('import-file', { uploadId: _id, importId });
}
