import { createTurns } from '../turns.js';
import { isPermanent } from '../permanentErrors.js';
import { suspendServer } from '../sync/suspend.js';
import { loadServer } from '../sync/loadServer.js';
import { requestServer } from '../sync/serveRequests.js';
import type { SyncDeps } from '../sync/syncDeps.js';
import { untilDone } from '../untilDone.js';

/** Looks at servers over REST when events say that their rules may have changed. */
export interface ServerLooks {
  /**
   * Looks at a server. The look begins after this call. Callers share a look that waits to begin. Rejects with an error
   * that stops the whole sync.
   */
  look(serverId: string): Promise<void>;
  /**
   * The look that a server's events have to wait for; null where they need not wait. It is a look that was asked for,
   * or the server's first look, which this call begins.
   */
  pending(serverId: string): Promise<void> | null;
}

/** Makes the looks of one process. Their results are stored in `deps.servers`. */
export function createServerLooks(deps: SyncDeps): ServerLooks {
  const turns = createTurns();
  /** For each server, the look that waits to begin, and the last look that has not ended. */
  const next = new Map<string, Promise<void>>();
  const last = new Map<string, Promise<void>>();
  /**
   * Servers whose last look was refused. Events of their threads are dropped without a look, until another event asks
   * for one.
   */
  const refused = new Set<string>();
  const begin = (serverId: string): Promise<void> => {
    const ended = turns(serverId, async () => {
      next.delete(serverId);
      if (await untilDone(deps.signal, () => lookAt(deps, serverId))) refused.delete(serverId);
      else refused.add(serverId);
    }).finally(() => {
      if (last.get(serverId) === ended) last.delete(serverId);
    });
    next.set(serverId, ended);
    last.set(serverId, ended);
    return ended;
  };
  const look = (serverId: string): Promise<void> => next.get(serverId) ?? begin(serverId);
  return {
    look,
    pending(serverId) {
      const underWay = last.get(serverId);
      if (underWay) return underWay;
      return deps.servers.has(serverId) || refused.has(serverId) ? null : look(serverId);
    },
  };
}

/** Looks at a server. Resolves with false where the platform refuses it, or gives a wrong answer. */
async function lookAt(deps: SyncDeps, serverId: string): Promise<boolean> {
  const before = deps.servers.get(serverId);
  try {
    const { channels } = await loadServer(deps, serverId);
    const isNew = [...channels.keys()].some((id) => !before?.channels.has(id));
    if (before && isNew) await requestServer(deps, serverId);
    return true;
  } catch (error) {
    deps.signal.throwIfAborted();
    if (!isPermanent(error)) throw error;
    deps.logger.warn({ err: error, serverId }, 'A server cannot be read');
    await suspendServer(deps, serverId, error.message);
    return false;
  }
}
