import Joi from 'joi';

/** Job names and their payloads: ids only. Every job may run twice, late, or half. */
export interface JobPayloads {
  /** Apply a stored upload (an export file) to the records and build what follows from it. */
  'import-file': { uploadId: string; importId: string };
  /** Build a new search index beside the old one and put it in its place. */
  'reindex-search': { rebuildId: string };
}

export type JobName = keyof JobPayloads;

const id = Joi.string().pattern(/^[\w-]{1,64}$/);

/** What each job's payload must be; anything else can never succeed. */
export const jobSchemas: { [Name in JobName]: Joi.ObjectSchema<JobPayloads[Name]> } = {
  'import-file': Joi.object<JobPayloads['import-file'], true>({
    uploadId: id.required(),
    importId: id.required(),
  }),
  'reindex-search': Joi.object<JobPayloads['reindex-search'], true>({
    rebuildId: id.required(),
  }),
};

/** The one queue of the write side. */
export const QUEUE_NAME = 'archive';
