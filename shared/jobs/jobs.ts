import Joi from 'joi';
import { verifyRequestSchema, type VerifyRequest } from '../contract/verify.js';

/** Job names and their payloads, which hold ids only. Any job may run twice, late, or only in part. */
export interface JobPayloads {
  /**
   * Remove a thread, and keep sources from bringing it back. The next three do the same for a channel, server or
   * message.
   */
  'delete-thread': { threadId: string };
  'delete-channel': { channelId: string };
  'delete-server': { serverId: string };
  'delete-message': { messageId: string };
  /** Remove every trace of somebody. The erasure's record names the person, for as long as that is needed. */
  'erase-user': { erasureId: string };
  /** Build all views and search documents again from the records. */
  'reindex-views': Record<string, never>;
  /** Build the statistics of a server again. */
  'refresh-stats': { serverId: string };
  /** Try again something that was quarantined. */
  'retry-quarantined': { quarantineId: string };
  /** Apply a stored upload (an export file) to the records and build what follows from it. */
  'import-file': { uploadId: string; importId: string };
  /** Build a new search index beside the old one, and replace the old one by it. */
  'reindex-search': { rebuildId: string };
  /** Wait until a request to sync is served. Its record names the place. */
  sync: { requestId: string };
  /** Compare all that readers are shown with the records, and repair the differences if asked to. */
  verify: VerifyRequest;
}

export type JobName = keyof JobPayloads;

const id = Joi.string().pattern(/^[\w-]{1,64}$/);

/** Checks each job's payload. A job with any other payload can never succeed. */
export const jobSchemas: { [Name in JobName]: Joi.ObjectSchema<JobPayloads[Name]> } = {
  'delete-thread': Joi.object<JobPayloads['delete-thread'], true>({ threadId: id.required() }),
  'delete-channel': Joi.object<JobPayloads['delete-channel'], true>({ channelId: id.required() }),
  'delete-server': Joi.object<JobPayloads['delete-server'], true>({ serverId: id.required() }),
  'delete-message': Joi.object<JobPayloads['delete-message'], true>({ messageId: id.required() }),
  'erase-user': Joi.object<JobPayloads['erase-user'], true>({ erasureId: id.required() }),
  'reindex-views': Joi.object<JobPayloads['reindex-views']>({}),
  'refresh-stats': Joi.object<JobPayloads['refresh-stats'], true>({ serverId: id.required() }),
  'retry-quarantined': Joi.object<JobPayloads['retry-quarantined'], true>({
    quarantineId: id.required(),
  }),
  'import-file': Joi.object<JobPayloads['import-file'], true>({
    uploadId: id.required(),
    importId: id.required(),
  }),
  'reindex-search': Joi.object<JobPayloads['reindex-search'], true>({
    rebuildId: id.required(),
  }),
  sync: Joi.object<JobPayloads['sync'], true>({ requestId: id.required() }),
  verify: verifyRequestSchema,
};

/** The one queue of the write side. */
export const QUEUE_NAME = 'archive';
