import { setTimeout as pause } from 'node:timers/promises';
import { createProducer } from '../../shared/jobs/producer.js';
import { searchAlias } from '../../shared/store/searchIndex.js';
import type { OwnServer } from '../support/ownServers.js';
import type { Rig } from './rig.js';

const WITHIN_MS = 300_000;

/** The servers that are asked whether any work is left. */
interface AtRest {
  direct: Rig['direct'];
  servers: { redis: OwnServer };
}

/**
 * Waits until no job waits, no mark is left, and there is a search index. When time is up, throws an error that names
 * what is left.
 */
export async function quiesce({ direct, servers }: AtRest): Promise<void> {
  const end = Date.now() + WITHIN_MS;
  for (;;) {
    const left = await whatIsLeft(direct, servers.redis);
    if (left === '') return;
    if (Date.now() > end) throw new Error(`Not at rest after ${WITHIN_MS / 1_000} s: ${left}`);
    await pause(300);
  }
}

async function whatIsLeft(
  { mongo, elasticsearch }: Rig['direct'],
  redis: OwnServer,
): Promise<string> {
  const { work, importFiles, deletions, erasures } = mongo.collections;
  const alias = searchAlias(mongo.namespace);
  const producer = createProducer({
    redisUrl: redis.url,
    namespace: mongo.namespace,
    timeoutMs: 120_000,
  });
  try {
    const { waiting, active, delayed } = await producer.counts();
    const counts = {
      jobs: waiting + active + delayed,
      marks: await work.countDocuments(),
      files: await importFiles.countDocuments({ state: 'queued' }),
      deletions: await deletions.countDocuments(),
      erasures: await erasures.countDocuments({ userId: { $exists: true } }),
      'lost search index': (await elasticsearch.indices.existsAlias({ name: alias })) ? 0 : 1,
    };
    const left = Object.entries(counts).filter(([, count]) => count > 0);
    const failure = (await work.findOne({ failure: { $exists: true } }))?.failure;
    const reason = failure ? ` (one of ${failure.kind} failed: ${failure.reason})` : '';
    return left.length > 0
      ? left.map(([name, count]) => `${count} ${name}`).join(', ') + reason
      : '';
  } finally {
    await producer.close();
  }
}
