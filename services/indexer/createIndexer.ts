import type { Client } from '@elastic/elasticsearch';
import type { Redis } from 'ioredis';
import type { Registry } from 'prom-client';
import type { Producer } from '../../shared/jobs/producer.js';
import { refileLost } from '../../shared/jobs/refileLost.js';
import type { Mongo } from '../../shared/platform/clients.js';
import type { Settings } from '../../shared/platform/env.js';
import type { Logger } from '../../shared/platform/logger.js';
import { registerStores } from '../../shared/platform/metrics.js';
import type { IndexerDeps } from './deps.js';
import { countActive } from './countActive.js';
import { createHandlers } from './handlers.js';
import { createIndexerMetrics } from './metrics/indexerMetrics.js';
import { runInBackground, type Round } from './project/backgroundLoop.js';
import { createBell } from './project/bell.js';
import { createCounting, hasPending, sweepPending } from './project/sweep.js';
import { refileWhenIdle } from './project/sweepImports.js';
import { releaseFiles } from './quarantine/guardFile.js';
import { releaseHealed } from './quarantine/releaseHealed.js';
import { recordRefusals } from './quarantine/recordRefusals.js';
import { createAnnouncer } from './stores/announcer.js';
import { dropRetained } from './search/dropRetained.js';
import { refreshSimilar } from './similar/refreshSimilar.js';
import { removeOrphanPieces } from './stores/orphanPieces.js';
import { createSearchWriter, targetsOf } from './stores/searchWriter.js';
import { parseResolvedTags } from './views/threadModel.js';
import { createStoreGate } from './storeGate.js';
import { createWorker } from './worker.js';

/** A pending mark this old was left by a job that is not coming back for it. */
const SWEEP_AFTER_MS = 5_000;
const SWEEP_EVERY_MS = 1_000;
const REFRESH_EVERY_MS = 250;
const SIMILAR_EVERY_MS = 500;
const DROP_EVERY_MS = 60_000;
/** A file that has waited this long may have lost its job. */
const REFILE_AFTER_MS = 10 * 60_000;
const TIDY_EVERY_MS = 60_000;
/** The same where no job is known: longer than anybody takes between a record and its job. */
const REFILE_WHEN_IDLE_AFTER_MS = 10_000;
const LOOK_FOR_LOST_EVERY_MS = 5_000;
const RELEASE_EVERY_MS = 2_000;
/** A loop that nobody wakes looks around this often (ms): it then finds what a killed process has left. */
const LOOK_AROUND_MS = 10_000;

/** Clients and settings of an indexer; the caller closes them after stop(). */
export interface IndexerClients {
  settings: Pick<Settings, 'RESOLVED_TAGS' | 'INDEXER_CONCURRENCY'>;
  mongo: Mongo;
  elasticsearch: Client;
  redis: Redis;
  queueRedis: Redis;
  /** Files again what was lost. */
  producer: Pick<Producer, 'add' | 'counts'>;
  logger: Logger;
}

/** The running write side: the queue's worker, the sweep and the counting. */
export function createIndexer(clients: IndexerClients): {
  stop(): Promise<void>;
  deps: IndexerDeps;
  metrics: Registry;
} {
  const { settings, mongo, logger } = clients;
  const metrics = createIndexerMetrics(mongo.collections, clients.producer);
  const deps: IndexerDeps = {
    collections: mongo.collections,
    search: createSearchWriter(clients.elasticsearch, targetsOf(mongo), (refusals) =>
      recordRefusals({ collections: mongo.collections, logger }, refusals),
    ),
    elasticsearch: clients.elasticsearch,
    namespace: mongo.namespace,
    announcer: createAnnouncer(clients.redis, mongo.namespace, logger),
    logger,
    resolvedTags: parseResolvedTags(settings.RESOLVED_TAGS),
    countProjected: metrics.countProjected,
  };
  const gate = createStoreGate(mongo, clients.elasticsearch, logger);
  registerStores(metrics.registry, gate.watches);
  const bell = createBell();
  const jobs = countActive(createHandlers(deps), () => bell.ring());
  const worker = createWorker(clients.queueRedis, {
    namespace: mongo.namespace,
    concurrency: settings.INDEXER_CONCURRENCY,
    handlers: jobs.handlers,
    gate,
    metrics,
    logger,
  });
  const isReady = () => gate.isOpen;
  const sweep: Round = async () =>
    (await sweepPending(deps, SWEEP_AFTER_MS)) || ((await hasPending(deps)) && SWEEP_EVERY_MS);
  const common = { logger, isBusy: jobs.isBusy, isReady };
  const onChange = (name: string, round: Round, idleMs: number) =>
    runInBackground(name, round, { ...common, idleMs, bell, longestRestMs: LOOK_AROUND_MS });
  const atTimes = (name: string, round: Round, everyMs: number) =>
    runInBackground(name, round, { ...common, idleMs: everyMs, bell, longestRestMs: everyMs });
  const refile = () =>
    refileWhenIdle(mongo.collections, clients.producer, REFILE_WHEN_IDLE_AFTER_MS);
  const tidy = async (): Promise<void> => {
    await refileLost(mongo.collections, clients.producer, REFILE_AFTER_MS);
    await removeOrphanPieces(mongo.collections);
  };
  // One that was killed may have had no time to tell what it stored.
  deps.announcer.announce({ everything: true });
  const loops = [
    onChange('sweep', sweep, SWEEP_EVERY_MS),
    onChange('refresh', createCounting(deps), REFRESH_EVERY_MS),
    onChange('similar threads', () => refreshSimilar(deps), SIMILAR_EVERY_MS),
    onChange('quarantine', () => releaseHealed(deps), RELEASE_EVERY_MS),
    atTimes('lost jobs', refile, LOOK_FOR_LOST_EVERY_MS),
    atTimes('tidy', tidy, TIDY_EVERY_MS),
    atTimes('retained index', () => dropRetained(deps), DROP_EVERY_MS),
  ];
  return {
    deps,
    metrics: metrics.registry,
    async stop() {
      const endJobs = worker.stop().then(() => releaseFiles(mongo.collections));
      await Promise.all([endJobs, ...loops.map((loop) => loop.stop())]);
      gate.stop();
    },
  };
}
