/** Job names and their payloads: ids only. Every job may run twice, late, or half. */
export interface JobPayloads {
  /** Apply a stored upload (an export file) to the records and build what follows from it. */
  'import-file': { uploadId: string; importId: string };
}

export type JobName = keyof JobPayloads;

/** The one queue of the write side. */
export const QUEUE_NAME = 'archive';

/** The store name in which uploads wait for their job (GridFS bucket). */
export const UPLOAD_BUCKET = 'uploads';
