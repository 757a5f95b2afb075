import { expect } from 'chai';
import { createIndexerMetrics } from '../../../services/indexer/metrics/indexerMetrics.js';
import { createProducer } from '../../../shared/jobs/producer.js';
import { readSettings } from '../../../shared/platform/env.js';
import { suiteStores } from '../../support/suiteStores.js';

describe('the metrics of an indexer', () => {
  const stores = suiteStores('emptied');

  it('count the files that wait, also those without a job', async () => {
    const { collections, namespace } = stores.mongo;
    const file = { importId: 'x', name: 'a.json', bytes: 1, queuedAt: new Date() };
    await collections.importFiles.insertMany([
      { ...file, _id: '1', state: 'queued' },
      { ...file, _id: '2', state: 'queued' },
      { ...file, _id: '3', state: 'imported' },
    ]);
    const producer = createProducer({ redisUrl: readSettings().REDIS_URL, namespace });
    try {
      const told = await createIndexerMetrics(collections, producer).registry.metrics();
      expect(told).to.include('\nforum_archive_waiting_files 2\n');
      expect(told).to.include('\nforum_archive_queue_jobs{state="waiting"} 0\n');
    } finally {
      await producer.close();
    }
  });
});
