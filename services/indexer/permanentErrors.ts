import { ExportError } from '../../shared/exportFormat/exportError.js';
import { SourceConflict } from './records/applySource.js';

/** Whether an error will come again however often a job is tried: its input is at fault, not a store. */
export function isPermanent(error: unknown): boolean {
  return (
    error instanceof ExportError || error instanceof SourceConflict || error instanceof PayloadError
  );
}

/** A job's payload is not what its name promises. */
export class PayloadError extends Error {
  override readonly name = 'PayloadError';
}
