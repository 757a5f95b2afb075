import type { Collection } from 'mongodb';
import { PlatformAway } from '../../../shared/discordApi/platformErrors.js';
import { requestSync } from '../../../shared/store/requestSync.js';
import { stateOf } from '../../../shared/store/state.js';
import { syncOf, type SyncRequestRecord } from '../../../shared/store/syncRecords.js';
import { isPermanent } from '../permanentErrors.js';
import { rest } from '../rest.js';
import { noteAway, noteBack } from './noteAway.js';
import { runRequest } from './runRequest.js';
import type { SyncDeps } from './syncDeps.js';

const LOOK_EVERY_MS = 250;
const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 5 * 60_000;

/**
 * The sync itself makes requests for everything new, with this id, and for what is new on a server. The id of the latter
 * is this prefix and the server's id.
 */
const ALL = 'all';
const OF_SERVER = 'server/';

/** Requests that everything new is looked for. Nobody waits for the end of that. */
export async function requestAll({ collections }: Pick<SyncDeps, 'collections'>): Promise<void> {
  await requestSync(collections, {}, ALL);
}

/** Requests that a server's threads are listed. Nobody waits for the end of that. */
export async function requestServer(
  { collections }: Pick<SyncDeps, 'collections'>,
  serverId: string,
): Promise<void> {
  await requestSync(collections, { serverId }, OF_SERVER + serverId);
}

/** Serves requests, one after the other. At first and now and then, it makes a request for everything new. */
export async function serveRequests(deps: SyncDeps, allEveryMs: number): Promise<void> {
  const { sync, state } = deps.collections;
  let askedAt = -Infinity;
  while (!deps.signal.aborted) {
    if (performance.now() - askedAt > allEveryMs) {
      askedAt = performance.now();
      await requestAll(deps);
    }
    const next = await syncOf(sync, 'request').findOne(
      {
        kind: 'request',
        listed: { $ne: true },
        problem: { $exists: false },
        dueAt: { $not: { $gt: new Date() } },
      },
      { sort: { at: 1 } },
    );
    if (next) {
      await serveRequest(deps, next);
      await stateOf(state, 'sync').updateOne(
        { _id: 'sync', problem: { $ne: null } },
        { $set: { problem: null } },
      );
    } else await rest(LOOK_EVERY_MS, deps.signal);
  }
}

/** Serves one request. After a transient fault, the request stays and is served again. */
async function serveRequest(deps: SyncDeps, request: SyncRequestRecord): Promise<void> {
  const requests = syncOf(deps.collections.sync, 'request');
  const { _id } = request;
  try {
    await runRequest(deps, request);
    await endRequest(requests, request, { listed: true });
    await noteBack(deps);
  } catch (error) {
    if (error instanceof PlatformAway) {
      deps.logger.warn(
        { err: error, request: _id },
        'The platform is away, and is asked again later',
      );
      await noteAway(deps, error);
      return postponeRequest(requests, request);
    }
    if (!isPermanent(error)) throw error;
    deps.logger.warn({ err: error, request: _id }, 'A request to sync cannot be done');
    await endRequest(requests, request, { problem: error.message });
  }
}

/** Notes for a job how its request ended. No job waits for a request of the sync itself. */
async function endRequest(
  requests: Collection<SyncRequestRecord>,
  { _id, at }: SyncRequestRecord,
  outcome: Pick<SyncRequestRecord, 'listed' | 'problem'>,
): Promise<void> {
  if (_id === ALL || _id.startsWith(OF_SERVER)) await requests.deleteOne({ _id, at });
  else await requests.updateOne({ _id, at }, { $set: outcome });
}

/**
 * Postpones a request, because the platform was away. The delay grows up to five minutes. Other requests are served
 * meanwhile. When somebody asks for the same again, it is served at once.
 */
export async function postponeRequest(
  requests: Collection<SyncRequestRecord>,
  { _id, at, tries = 0 }: SyncRequestRecord,
): Promise<void> {
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** tries, LONGEST_WAIT_MS);
  const dueAt = new Date(Date.now() + waitMs);
  await requests.updateOne({ _id, at }, { $set: { dueAt, tries: tries + 1 } });
}
