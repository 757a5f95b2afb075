import type { Archive } from '../openArchive.js';
import { runCommand, type Result } from '../runCommand.js';
import { runAudited } from '../runAudited.js';
import { verifyWhole } from './verifyWhole.js';

/** Options of `verify`. */
export interface VerifyOptions {
  repair?: boolean;
  wait?: boolean;
  json?: boolean;
}

/** Verifies the archive. A repair is audited. */
export async function runVerify(options: VerifyOptions): Promise<void> {
  const { repair = false, wait = true } = options;
  const verify = (archive: Archive): Promise<Result> => verifyWhole(archive, { repair, wait });
  if (!repair) await runCommand(options, verify);
  else await runAudited(options, { operation: 'verify', params: { repair } }, verify);
}
