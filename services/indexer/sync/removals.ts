import type { LoopKind } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { settleAndRefresh, type RecordedDeletion } from '../jobs/removal.js';
import { rest } from '../rest.js';

/** The shortest rest between two removals (ms). Deletions that come meanwhile are carried out together. */
const REST_MS = 1_000;

/** Carries out deletions that the platform told. Nobody waits for their end. */
export interface Removals {
  /**
   * Does what follows from a recorded deletion. Null stands for no deletion. With `kind`, only marks of that kind are
   * done here, and the background loops do the others.
   */
  add(recorded: RecordedDeletion | null, kind?: LoopKind): void;
  /** Resolves when this process can do nothing more for the deletions that were added. */
  end(): Promise<void>;
}

/**
 * Does what follows from deletions, so that caches and search lose the deleted things at once. The deletions are
 * recorded and marked. So what one process leaves undone is done by others. When the signal is aborted, it no longer
 * waits for other workers.
 */
export function createRemovals(deps: IndexerDeps): Removals {
  const { signal } = deps;
  /** By cause. */
  let waiting = new Map<string, { serverId: string; kind: LoopKind | undefined }>();
  let running: Promise<void> | null = null;
  const logFailure = (error: unknown): void => {
    if (!signal.aborted)
      deps.logger.warn(
        { err: error },
        'A removal could not be completed at once: its marks are done later',
      );
  };
  const run = async (): Promise<void> => {
    while (waiting.size > 0) {
      const group = [...waiting];
      waiting = new Map();
      for (const kind of new Set(group.map(([, one]) => one.kind))) {
        const some = group.filter(([, one]) => one.kind === kind);
        const causes = some.map(([cause]) => cause);
        const serverIds = new Set(some.map(([, { serverId }]) => serverId));
        await settleAndRefresh(deps, causes, serverIds, { kind }).catch(logFailure);
      }
      await rest(REST_MS, signal);
    }
    running = null;
  };
  return {
    add(recorded, kind) {
      if (!recorded) return;
      const { cause, serverId } = recorded;
      const known = waiting.get(cause);
      // Where one caller asked for all kinds (none is given), these include the kind that another one asked for.
      waiting.set(cause, { serverId, kind: known ? known.kind && kind : kind });
      running ??= run();
    },
    end: async () => running ?? undefined,
  };
}
