import type { Collections } from '../store/collections.js';
import type { DeletionKind } from '../store/deletionRecord.js';
import { requestDeletion } from '../store/deletions.js';
import type { JobPayloads } from './jobs.js';
import type { Producer } from './producer.js';

/** Remembers a deletion and files its job, which is filed again should Redis forget it. Gives the job's id. */
export async function fileDeletion(
  collections: Pick<Collections, 'deletions'>,
  producer: Pick<Producer, 'add'>,
  { kind, subject }: { kind: DeletionKind; subject: string },
): Promise<string> {
  await requestDeletion(collections, kind, subject);
  return addDeletion(producer, { kind, subject });
}

/** Files the job of a deletion. */
export async function addDeletion(
  producer: Pick<Producer, 'add'>,
  { kind, subject }: { kind: DeletionKind; subject: string },
): Promise<string> {
  type Job = `delete-${DeletionKind}`;
  return producer.add<Job>(`delete-${kind}`, { [`${kind}Id`]: subject } as JobPayloads[Job]);
}
