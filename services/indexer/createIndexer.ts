import { setMaxListeners } from 'node:events';
import type { Client } from '@elastic/elasticsearch';
import type { Redis } from 'ioredis';
import type { Registry } from 'prom-client';
import type { Producer } from '../../shared/jobs/producer.js';
import type { Mongo } from '../../shared/platform/clients.js';
import { createBotClient } from '../../shared/discordApi/botClient.js';
import { createFreshLinks, type FreshLinks } from '../../shared/discordApi/freshLinks.js';
import type { AskOutcome } from '../../shared/discordApi/platformClient.js';
import type { MirrorFiles } from '../../shared/mirror/mirrorFiles.js';
import type { MirrorSettings } from '../../shared/mirror/openMirror.js';
import { publicUrlOf, type Settings } from '../../shared/platform/env.js';
import type { Logger } from '../../shared/platform/logger.js';
import { takesJobs } from '../../shared/jobs/takesJobs.js';
import { registerStores } from '../../shared/platform/metrics.js';
import { withTimeout } from '../../shared/platform/withTimeout.js';
import { LATE_KINDS, type LateKind, type LoopKind } from '../../shared/store/work.js';
import type { IndexerDeps, WriteCounters } from './deps.js';
import { countActive } from './countActive.js';
import { indexerChores } from './indexerChores.js';
import { createHandlers } from './handlers.js';
import { createIndexerMetrics } from './metrics/indexerMetrics.js';
import { createMirror } from './mirror/mirror.js';
import { createAnnouncer } from './stores/announcer.js';
import { createStoreAccess } from './stores/storeAccess.js';
import { createServiceLinks } from './views/serviceLinks.js';
import { parseResolvedTags } from './views/threadModel.js';
import { createStoreGate } from './storeGate.js';
import { runInBackground, type LoopOptions, type Round } from './work/backgroundLoop.js';
import { createBell } from './work/bell.js';
import { giveUpClaims } from './work/claims.js';
import { ProcessStops } from './work/commit.js';
import { restAfterAll, roundOfAll } from './work/roundOfAll.js';
import { ALL_KINDS } from './work/kinds.js';
import { runDue } from './work/runMarks.js';
import { createWorker } from './worker.js';
import { startSync, type SyncSettings } from './sync/startSync.js';

/** The shortest rest (ms) between two looks for work. Changes that are made meanwhile are then done together. */
const WORK_EVERY_MS = 250;
/** The same for work whose result nobody waits for. */
const SIMILAR_EVERY_MS = 2_000;
const CHORES_EVERY_MS = 1_000;
/** How often (ms) a loop that nobody wakes looks for work. It then finds what a killed process has left. */
const LOOK_AROUND_MS = 10_000;
/** The longest rest (ms) after a round that looked for similar threads. */
const LONGEST_SIMILAR_REST_MS = 10_000;

/**
 * Looking for similar threads costs Elasticsearch more than any other part of a build, and nobody waits for it. So it
 * has a loop of its own. This loop asks one question at a time. After each round it rests for as long as the round
 * took, but not longer than ten seconds. So it usually keeps one thread of Elasticsearch busy for half of the time at
 * most. When readers search much, each round takes longer, and so does the rest after it.
 */
const restAfterSimilar = (tookMs: number): number => Math.min(tookMs, LONGEST_SIMILAR_REST_MS);
/** How the loop of each late kind rests. */
const LATE_RESTS: Record<LateKind, Pick<LoopOptions, 'idleMs' | 'restAfter'>> = {
  similar: { idleMs: SIMILAR_EVERY_MS, restAfter: restAfterSimilar },
  // Downloads of files may take long.
  mirror: { idleMs: WORK_EVERY_MS },
};
/**
 * The kinds of work that show a part of threads elsewhere. Such work costs the same after one change as after many. A
 * profile, for example, is made from all threads of a person. So these kinds have a loop of their own. It does all
 * marks, rests as `restAfterAll` tells, and then does all marks that were set meanwhile.
 */
const SHOWN_ELSEWHERE: readonly LoopKind[] = ['lists', 'person', 'server', 'shown'];
const IN_OTHER_LOOPS: readonly LoopKind[] = [...SHOWN_ELSEWHERE, ...LATE_KINDS];
const OTHER_KINDS = ALL_KINDS.filter((kind) => !IN_OTHER_LOOPS.includes(kind));

/** How long (ms) work that is under way may take to end when the indexer stops. */
const LONGEST_END_MS = 5_000;

/** The clients and settings of an indexer. The caller closes the clients after stop(). */
export interface IndexerClients {
  settings: SyncSettings &
    MirrorSettings &
    Pick<Settings, 'AUDIT_DAYS' | 'RESOLVED_TAGS' | 'INDEXER_CONCURRENCY'>;
  mongo: Mongo;
  elasticsearch: Client;
  redis: Redis;
  queueRedis: Redis;
  /** Files lost jobs again, ends wrong delays, and asks for a rebuild of a lost search index. */
  producer: Pick<Producer, 'add' | 'refile' | 'endFarDelays' | 'counts' | 'tryStoring'>;
  /** The place that files are copied to; null where files are not copied. */
  files: MirrorFiles | null;
  logger: Logger;
}

/** Makes the source of fresh links for files that are to be copied; null without a bot. */
function freshLinks(
  { settings, queueRedis: redis, mongo: { namespace } }: IndexerClients,
  counters: WriteCounters,
): FreshLinks | null {
  const onAsked = (outcome: AskOutcome): void => counters.platformAsked(outcome);
  const bot = createBotClient(settings, { redis, namespace, onAsked });
  return bot && createFreshLinks(bot);
}

/**
 * Starts the write side: the worker of the queue, the loops that do marked work and tidy up, and the sync. Stopping it
 * waits for work under way, for a few seconds at most, and gives the rest back.
 */
export function createIndexer(clients: IndexerClients): {
  stop(): Promise<void>;
  deps: IndexerDeps;
  metrics: Registry;
} {
  const { settings, mongo, logger, files } = clients;
  const stopped = new AbortController();
  // All jobs and marks that wait listen to it.
  setMaxListeners(0, stopped.signal);
  const metrics = createIndexerMetrics(mongo.collections, clients.producer);
  const bell = createBell();
  const { stop: stopChanges, ...access } = createStoreAccess(mongo, clients.elasticsearch, {
    logger,
    onCommit: () => bell.ring(),
  });
  const deps: IndexerDeps = {
    ...access,
    elasticsearch: clients.elasticsearch,
    namespace: mongo.namespace,
    announcer: createAnnouncer(clients.redis, mongo.namespace, logger),
    logger,
    signal: stopped.signal,
    links: createServiceLinks({
      publicUrl: publicUrlOf(settings),
      cdnUrl: files && settings.DISCORD_CDN_URL,
    }),
    mirror: files && createMirror(settings, files, freshLinks(clients, metrics.counters)),
    resolvedTags: parseResolvedTags(settings.RESOLVED_TAGS),
    counters: metrics.counters,
  };
  const gate = createStoreGate(mongo, clients.elasticsearch, logger);
  registerStores(metrics.registry, gate.watches, () => takesJobs(clients.producer));
  const jobs = countActive(createHandlers(deps));
  const worker = createWorker(clients.queueRedis, {
    namespace: mongo.namespace,
    concurrency: settings.INDEXER_CONCURRENCY,
    handlers: jobs.handlers,
    gate,
    metrics,
    logger,
  });
  const isReady = () => gate.isOpen;
  // Without a mirror, only removals set marks of the kind `mirror`. These marks do not need a loop of their own.
  const kinds: readonly LoopKind[] = files ? OTHER_KINDS : [...OTHER_KINDS, 'mirror'];
  const work: Round = () => runDue(deps, {}, kinds);
  const showElsewhere = roundOfAll(
    (among) => runDue(deps, among, SHOWN_ELSEWHERE),
    () => !jobs.isBusy() && !stopped.signal.aborted,
  );
  const common = { logger, isBusy: jobs.isBusy, isReady, bell, longestRestMs: LOOK_AROUND_MS };
  const chores = indexerChores(deps, clients);
  // An indexer that was killed may have stored changes without announcing them.
  deps.announcer.announce({ everything: true });
  const loops = [
    runInBackground('work', work, { ...common, idleMs: WORK_EVERY_MS }),
    runInBackground('elsewhere', showElsewhere, {
      ...common,
      idleMs: WORK_EVERY_MS,
      restAfter: restAfterAll,
    }),
    ...LATE_KINDS.filter((kind) => !kinds.includes(kind)).map((kind) =>
      runInBackground(kind, () => runDue(deps, {}, [kind]), { ...common, ...LATE_RESTS[kind] }),
    ),
    runInBackground('chores', chores, { ...common, idleMs: CHORES_EVERY_MS }),
  ];
  const sync = startSync(deps, clients);
  return {
    deps,
    metrics: metrics.registry,
    async stop() {
      stopped.abort(new ProcessStops());
      const ends = [
        worker.stop(),
        ...(sync ? [sync.stop()] : []),
        ...loops.map((loop) => loop.stop()),
      ];
      await withTimeout(LONGEST_END_MS, () => Promise.all(ends)).catch(() => undefined);
      // What has not ended changes nothing more. Otherwise it would soon claim other marks, which nobody gives back.
      await giveUpClaims({ commit: await stopChanges() });
      gate.stop();
    },
  };
}
