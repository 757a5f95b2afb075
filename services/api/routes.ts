import type { Client } from '@elastic/elasticsearch';
import { operations } from '../../shared/contract/operations.js';
import type { QueueProducer } from '../../shared/jobs/producer.js';
import type { Collections } from '../../shared/store/collections.js';
import { listAudit } from './admin/audit.js';
import { deleteBy, eraseUser } from './admin/deletions.js';
import { getAdminStats, type CacheCounters } from './admin/getAdminStats.js';
import { importExport } from './admin/importExport.js';
import { getJob, listJobs, retryJob } from './admin/jobs.js';
import { listQuarantine, retryQuarantined } from './admin/quarantine.js';
import { refreshStats, reindex, sync, verify } from './admin/rebuilds.js';
import type { FreshLinks } from '../../shared/discordApi/freshLinks.js';
import type { Auth } from './auth/createAuth.js';
import { exchangeCode } from './auth/exchangeCode.js';
import { getMe } from './auth/getMe.js';
import { createKey, listKeys, revokeKey } from './auth/keys.js';
import { logOut } from './auth/logOut.js';
import { login } from './auth/login.js';
import { refreshToken } from './auth/refreshToken.js';
import { bodyHandler } from './bodies/bodyHandler.js';
import { bodyReader } from './bodies/bodyReader.js';
import { tags } from './dependencies.js';
import { openAttachment } from './files/openAttachment.js';
import { openAvatar, openIcon } from './files/openPicture.js';
import type { ReadMirror } from './files/readMirror.js';
import { getHealth } from './health/getHealth.js';
import { getIndex, getOpenApi } from './health/getIndex.js';
import { getReadiness } from './health/getReadiness.js';
import { route, type Dependency, type Route } from './http/route.js';
import { isId } from './ids.js';
import { keepAnswers, keepCompletions, searchDependsOn } from './search/keepAnswers.js';
import { searchArchive } from './search/searchArchive.js';
import { suggestTitles } from './search/suggestTitles.js';
import type { Synonyms } from './search/synonyms.js';
import { Turns } from './turns.js';
import type { OpenCursors } from './paging/cursors.js';
import { listSimilarThreads } from './similar/listSimilarThreads.js';
import { getServerStats } from './servers/getServerStats.js';
import { listServers } from './servers/listServers.js';
import type { StatsCache } from './servers/statsCache.js';
import type { StoreWatches } from './stores/guardStores.js';
import { refuseAway } from './stores/storeGuard.js';
import { listThreads, listThreadsDependsOn } from './threads/listThreads.js';
import { pageReader } from './threads/pageReader.js';
import { getLeaderboard, lineReader } from './users/getLeaderboard.js';

export interface RouteDeps {
  elasticsearch: Client;
  watches: StoreWatches;
  /** Files jobs in the queue, and reads their state. */
  producer: QueueProducer;
  /** The counters of this process's response cache. */
  cache: CacheCounters;
  /** The shared cache of statistics. */
  stats: StatsCache;
  auth: Auth;
  /** Asks the platform for current links to its attachments; null without a bot. */
  freshLinks: FreshLinks | null;
  /** Reads copies of the platform's files; null where there is no mirror. */
  mirror: ReadMirror | null;
  /** The base URL of the platform's files. */
  cdnUrl: string;
  collections: Collections;
  /** The prefix of this archive's Redis keys and search indexes. */
  namespace: string;
  cursors: OpenCursors;
  /** Words that count as each other in a search. */
  synonyms: Synonyms;
  /** How long a call to a store may take (ms). */
  callMs: number;
}

/** All endpoints of the API, one line each. */
export function createRoutes(deps: RouteDeps): Route[] {
  const { collections, auth, watches, stats, cursors } = deps;
  const limits = { refuse: () => refuseAway(watches.mongodb), waitMs: deps.callMs };
  const readBody = bodyReader(collections, limits);
  const store = { ...collections, readBody };
  const files = {
    store: collections,
    links: deps.freshLinks,
    mirror: deps.mirror,
    cdnUrl: deps.cdnUrl,
  };
  const all = Object.values(operations);
  const turns = new Turns();
  return [
    route(operations.getIndex, getIndex(all), onNothing),
    route(operations.getOpenApi, getOpenApi(all), onNothing),
    route(operations.getHealth, getHealth(), neverKept),
    route(operations.getReadiness, getReadiness(watches), neverKept),
    route(operations.listServers, listServers(store), () => ({ tags: [tags.servers] })),
    route(operations.getServer, bodyHandler(store, 'server', 'serverId'), onServer),
    route(operations.listChannels, bodyHandler(store, 'channels', 'serverId'), onServer),
    route(operations.listTags, bodyHandler(store, 'tags', 'serverId'), onServer),
    route(operations.getServerStats, getServerStats(store, stats), onServer),
    route(
      operations.listThreads,
      listThreads(pageReader(store, limits), cursors),
      listThreadsDependsOn,
    ),
    route(operations.getThread, bodyHandler(store, 'thread', 'threadId'), onThread),
    route(operations.listParticipants, bodyHandler(store, 'participants', 'threadId'), onThread),
    route(operations.listSimilarThreads, listSimilarThreads(store), onSimilar),
    route(operations.openAttachment, openAttachment(files)),
    route(operations.openAvatar, openAvatar(files)),
    route(operations.openIcon, openIcon(files)),
    route(
      operations.searchArchive,
      keepAnswers((query, asker) => searchArchive({ ...deps, turns }, query, asker)),
      searchDependsOn,
    ),
    route(
      operations.suggestTitles,
      keepCompletions((query, asker) => suggestTitles(deps, query, asker)),
      searchDependsOn,
    ),
    route(operations.getUser, bodyHandler(store, 'user', 'userId'), onUser),
    route(
      operations.getLeaderboard,
      getLeaderboard(store, lineReader(store, limits), cursors),
      onServer,
    ),
    route(operations.login, login(auth)),
    route(operations.exchangeCode, exchangeCode(store, auth)),
    route(operations.refreshToken, refreshToken(store, auth)),
    route(operations.logOut, logOut(store, auth)),
    route(operations.getMe, getMe(store)),
    route(operations.createKey, createKey(store)),
    route(operations.listKeys, listKeys(store, cursors)),
    route(operations.revokeKey, revokeKey(store)),
    route(operations.getAdminStats, getAdminStats({ ...deps, readBody })),
    route(operations.listJobs, listJobs(deps)),
    route(operations.getJob, getJob(deps)),
    route(operations.retryJob, retryJob(deps)),
    route(operations.listAudit, listAudit(store, cursors)),
    route(operations.listQuarantine, listQuarantine(store, cursors)),
    route(operations.retryQuarantined, retryQuarantined(deps)),
    route(operations.importExport, importExport(deps)),
    route(operations.sync, sync(deps)),
    route(operations.reindex, reindex(deps)),
    route(operations.verify, verify(deps)),
    route(operations.refreshStats, refreshStats(deps)),
    route(operations.deleteThread, deleteBy(deps, 'thread')),
    route(operations.deleteChannel, deleteBy(deps, 'channel')),
    route(operations.deleteServer, deleteBy(deps, 'server')),
    route(operations.deleteMessage, deleteBy(deps, 'message')),
    route(operations.eraseUser, eraseUser(deps)),
  ];
}

/** For an answer that is the same for as long as the process runs. No announcement of a change drops it. */
function onNothing(): Dependency {
  return { tags: [] };
}

/** For an answer that may change at any moment without an announcement. The cache does not keep it. */
function neverKept(): undefined {
  return undefined;
}

function onServer({ params }: { params: { serverId: string } }): Dependency | undefined {
  return isId(params.serverId) ? { tags: [tags.server(params.serverId)] } : undefined;
}

function onThread({ params }: { params: { threadId: string } }): Dependency | undefined {
  return isId(params.threadId) ? { tags: [tags.thread(params.threadId)] } : undefined;
}

/** A list of similar threads also depends on its thread, which may be deleted while the list is still empty. */
function onSimilar({ params }: { params: { threadId: string } }): Dependency | undefined {
  const { threadId } = params;
  return isId(threadId) ? { tags: [tags.similar(threadId), tags.thread(threadId)] } : undefined;
}

function onUser({ params }: { params: { userId: string } }): Dependency | undefined {
  return isId(params.userId) ? { tags: [tags.user(params.userId)] } : undefined;
}
