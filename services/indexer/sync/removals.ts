import type { LoopKind } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { settleAndRefresh } from '../jobs/removal.js';
import { rest } from '../rest.js';

/** The shortest rest between two removals (ms): what is deleted meanwhile is removed together. */
const REST_MS = 1_000;

/** What is removed here since the platform removed it. Nobody waits for the end of it. */
export interface Removals {
  /**
   * Does what follows from a recorded deletion. Null stands for no deletion. With `kind`, only marks of that kind are
   * done here, and the background loops do the others.
   */
  add(recorded: { serverId: string; cause: string } | null, kind?: LoopKind): void;
  /** Resolves when nothing of what was added is left that this process could do now. */
  end(): Promise<void>;
}

/**
 * Does what follows from deletions, so that they leave caches and search at once. What a process leaves undone, others
 * do: the deletions are recorded, and marked. When the signal is aborted, it waits no more for other workers.
 */
export function createRemovals(deps: IndexerDeps, signal: AbortSignal): Removals {
  /** By cause. */
  let waiting = new Map<string, { serverId: string; kind: LoopKind | undefined }>();
  let running: Promise<void> | null = null;
  const leave = (error: unknown): void => {
    if (!signal.aborted) deps.logger.warn({ err: error }, 'A removal is left to the background');
  };
  const run = async (): Promise<void> => {
    while (waiting.size > 0) {
      const group = [...waiting];
      waiting = new Map();
      for (const kind of new Set(group.map(([, one]) => one.kind))) {
        const some = group.filter(([, one]) => one.kind === kind);
        const causes = some.map(([cause]) => cause);
        const serverIds = new Set(some.map(([, { serverId }]) => serverId));
        await settleAndRefresh(deps, causes, serverIds, { signal, kind }).catch(leave);
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
      // No kind stands for all kinds. So it serves those, too, who asked for one.
      waiting.set(cause, { serverId, kind: known ? known.kind && kind : kind });
      running ??= run();
    },
    end: async () => running ?? undefined,
  };
}
