/** Files: attachments, and pictures of people and servers. */
import Joi from 'joi';
import { text } from './fields.js';

/** A redirect to a file. */
export interface FileLink {
  location: string;
}

/** Checks a FileLink. */
export const fileLinkSchema = Joi.object<FileLink, true>({
  location: text('Where the file is, as in the Location header'),
});
