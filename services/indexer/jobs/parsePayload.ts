import type { ValidationResult } from 'joi';
import { jobSchemas, type JobName, type JobPayloads } from '../../../shared/jobs/jobs.js';
import { PayloadError } from '../permanentErrors.js';

/** A job's payload, checked. Throws PayloadError, which no retry can mend. */
export function parsePayload<Name extends JobName>(
  name: Name,
  payload: unknown,
): JobPayloads[Name] {
  const result: ValidationResult<JobPayloads[Name]> = jobSchemas[name].required().validate(payload);
  if (result.error)
    throw new PayloadError(`The payload of ${name} is wrong: ${result.error.message}`);
  return result.value;
}
