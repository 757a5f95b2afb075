/** A process that runs a rebuild of the search index. It is killed at one of FAULT_POINTS. */
import { reindexSearch } from '../../services/indexer/search/reindexSearch.js';
import { createMongo, createRedis } from '../../shared/platform/clients.js';
import { createElasticsearch } from '../../shared/platform/createElasticsearch.js';
import { readSettings } from '../../shared/platform/env.js';
import { armFaultPoints } from '../../shared/platform/faultPoint.js';
import { createLogger } from '../../shared/platform/logger.js';
import { indexerDeps } from './indexerDeps.js';

const [rebuildId = ''] = process.argv.slice(2);
const settings = readSettings();
armFaultPoints(settings.FAULT_POINTS ?? '');
const mongo = createMongo(settings, { timeoutMs: 120_000, poolSize: 20 });
const elasticsearch = createElasticsearch(settings, { timeoutMs: 120_000 });
const redis = createRedis(settings.REDIS_URL, { timeoutMs: 120_000 });
redis.on('error', () => undefined);
const logger = createLogger('indexer', 'silent');

await reindexSearch(indexerDeps({ mongo, elasticsearch, redis, logger }), { rebuildId });
process.exit(0);
