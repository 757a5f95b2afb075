import type { Collections } from '../store/collections.js';
import type { DeletionKind } from '../store/deletionRecord.js';
import { requestDeletion } from '../store/deletions.js';
import type { JobPayloads } from './jobs.js';
import type { Producer } from './producer.js';

/** Records a deletion and files its job. Should Redis lose the job, it is filed again. Returns the job's id. */
export async function fileDeletion(
  collections: Pick<Collections, 'deletions'>,
  producer: Pick<Producer, 'add'>,
  { kind, subject }: { kind: DeletionKind; subject: string },
): Promise<string> {
  await requestDeletion(collections, kind, subject);
  const job = deletionJob(kind, subject);
  return producer.add(job.name, job.payload);
}

type DeletionJob = `delete-${DeletionKind}`;

/** The name and payload of a deletion's job. */
export function deletionJob(
  kind: DeletionKind,
  subject: string,
): { name: DeletionJob; payload: JobPayloads[DeletionJob] } {
  const payload = { [`${kind}Id`]: subject } as JobPayloads[DeletionJob];
  return { name: `delete-${kind}`, payload };
}
