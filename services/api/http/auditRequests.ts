import type { Context, Middleware } from 'koa';
import type { AppError } from '../../../shared/contract/errors.js';
import type { Logger } from '../../../shared/platform/logger.js';
import type { AuditEntry } from '../../../shared/store/audit.js';
import type { Caller } from '../caller.js';
import { toAppError } from './errors.js';

/**
 * Stores an audit entry for each request under /admin by a caller with a level, whether it succeeds or not. It leaves
 * out requests beyond a rate limit, and reads unless `reads` is set. A failure to store an entry is only logged.
 */
export function auditRequests(
  record: (entry: AuditEntry) => Promise<unknown>,
  logger: Logger,
  { reads }: { reads: boolean },
): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      await audit(ctx, toAppError(error));
      throw error;
    }
    await audit(ctx, null);
  };

  async function audit(ctx: Context, error: AppError | null): Promise<void> {
    const entry = isAudited(ctx, reads) ? entryOf(ctx, error) : null;
    if (!entry) return;
    try {
      await record(entry);
    } catch (failure) {
      logger.error({ err: failure, operation: entry.operation }, 'An audit entry was not stored');
    }
  }
}

/**
 * Whether a request is to be audited. Static files of the queue dashboard are not: they tell nothing about the archive.
 */
function isAudited({ method, state }: Context, reads: boolean): boolean {
  if (method !== 'GET' && method !== 'HEAD') return true;
  return reads && state['isFile'] !== true;
}

function entryOf(ctx: Context, error: AppError | null): AuditEntry | null {
  const { caller, operationId, route, answered } = ctx.state as {
    caller?: Caller;
    operationId?: string;
    route?: string;
    answered?: Buffer;
  };
  if (!caller || !operationId || !route?.startsWith('/admin/')) return null;
  if (error?.code === 'RATE_LIMITED') return null;
  // A caller without a level is refused under /admin. Anybody can get such a credential, and could fill the audit
  // trail.
  if (caller.scopes.length === 0) return null;
  const jobId = jobIdOf(answered);
  const { params } = ctx as Context & { params?: Record<string, string> };
  return {
    caller: { kind: caller.kind, id: caller.id },
    operation: operationId,
    params: { ...params, ...(ctx.state['given'] as object | undefined) },
    // bull-board answers some failures by a status, without an error.
    outcome: error ? error.code : ctx.status < 400 ? 'done' : 'failed',
    status: error ? error.status : ctx.status,
    ...(jobId === undefined ? {} : { jobId }),
  };
}

/** The id of the job in an uncompressed JSON answer; undefined where it holds none. */
function jobIdOf(answered: Buffer | undefined): string | undefined {
  return answered && (JSON.parse(answered.toString()) as { jobId?: string }).jobId;
}
