const PREFIX = 'imports-';

/** The job id of an import: it stands for the jobs of all its files. */
export function importJobId(importId: string): string {
  return `${PREFIX}${importId}`;
}

/** The import of a job id; undefined for what is no import's. */
export function importIdOf(jobId: string): string | undefined {
  return jobId.startsWith(PREFIX) ? jobId.slice(PREFIX.length) : undefined;
}
