import { ExportError } from '../../shared/exportFormat/exportError.js';
import { MissingUploadError } from '../../shared/store/uploads.js';
import { SourceConflict } from './records/applySource.js';

/** Whether an error will come again however often a job is tried: its input is at fault, not a store. */
export function isPermanent(error: unknown): boolean {
  return [ExportError, SourceConflict, PayloadError, MissingUploadError].some(
    (kind) => error instanceof kind,
  );
}

/** A job's payload is not what its name promises. */
export class PayloadError extends Error {
  override readonly name = 'PayloadError';
}
