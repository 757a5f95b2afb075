const PREFIX = 'imports-';

/** The id by which callers follow an import. It stands for the jobs of all its files. */
export function importJobId(importId: string): string {
  return `${PREFIX}${importId}`;
}

/** The id of the import that a job id stands for; undefined for other jobs. */
export function importIdOf(jobId: string): string | undefined {
  return jobId.startsWith(PREFIX) ? jobId.slice(PREFIX.length) : undefined;
}
