import { PlatformAnswerError, PlatformRefused } from '../../../shared/discordApi/platformErrors.js';
import { requestSync } from '../../../shared/store/requestSync.js';
import { leaveOutServer } from '../sync/leaveOutServer.js';
import { loadServer } from '../sync/loadServer.js';
import type { SyncDeps } from '../sync/syncDeps.js';
import { untilDone } from './tasks.js';

/** Looks at servers over REST when events say that their rules may have changed. */
export interface ServerLooks {
  /**
   * Looks at a server, from now on: who asks while one waits to begin shares it. Rejects with what stops everything.
   */
  look(serverId: string): Promise<void>;
  /** What a server's events have to wait for: a look that was asked for, or the first. Null for nothing. */
  pending(serverId: string): Promise<void> | null;
}

interface Look {
  ended: Promise<void>;
  hasBegun: boolean;
}

/** Looks for one process. What is found there is in `deps.servers`. */
export function createServerLooks(deps: SyncDeps): ServerLooks {
  const last = new Map<string, Look>();
  /** Servers that could not be looked at: their events are let go until something new is told of them. */
  const refused = new Set<string>();
  const begin = (serverId: string, after: Promise<unknown>): Look => {
    const look: Look = { ended: Promise.resolve(), hasBegun: false };
    const run = async (): Promise<void> => {
      look.hasBegun = true;
      if (await untilDone(deps.signal, () => lookAt(deps, serverId))) refused.delete(serverId);
      else refused.add(serverId);
    };
    look.ended = after.then(run, run).finally(() => {
      if (last.get(serverId) === look) last.delete(serverId);
    });
    last.set(serverId, look);
    return look;
  };
  const look = (serverId: string): Promise<void> => {
    const before = last.get(serverId);
    if (before && !before.hasBegun) return before.ended;
    return begin(serverId, before?.ended ?? Promise.resolve()).ended;
  };
  return {
    look,
    pending(serverId) {
      const under = last.get(serverId);
      if (under) return under.ended;
      return deps.servers.has(serverId) || refused.has(serverId) ? null : look(serverId);
    },
  };
}

/** Looks at a server. Resolves with whether the bot may see it. */
async function lookAt(deps: SyncDeps, serverId: string): Promise<boolean> {
  const before = deps.servers.get(serverId);
  try {
    const { channels } = await loadServer(deps, serverId);
    const isNew = [...channels.keys()].some((id) => !before?.channels.has(id));
    if (before && isNew) await requestServer(deps, serverId);
    return true;
  } catch (error) {
    deps.signal.throwIfAborted();
    if (!(error instanceof PlatformRefused || error instanceof PlatformAnswerError)) throw error;
    deps.logger.warn({ err: error, serverId }, 'A server cannot be looked at');
    await leaveOutServer(deps, serverId, error.message);
    return false;
  }
}

/** Has a server's threads listed. */
export async function requestServer({ collections }: SyncDeps, serverId: string): Promise<void> {
  await requestSync(collections, { serverId }, `server/${serverId}`);
}
