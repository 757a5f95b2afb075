import { expect } from 'chai';
import {
  createApiMetrics,
  type MeasuredRequest,
} from '../../../../services/api/metrics/apiMetrics.js';

describe('createApiMetrics', () => {
  const cache = { traffic: { hits: 3, misses: 5 }, size: { entries: 7, bytes: 11 } };
  const metrics = createApiMetrics(cache, false);

  /** The lines of the metrics with this name, without it. */
  const linesOf = async (name: string): Promise<string[]> => {
    const lines = (await metrics.read()).split('\n');
    return lines.filter((line) => line.startsWith(name)).map((line) => line.slice(name.length));
  };

  const request: MeasuredRequest = {
    operation: 'getServerStats',
    status: 200,
    seconds: 0.01,
    xCache: undefined,
    limitedBy: undefined,
  };

  it('counts requests that a limit refused', async () => {
    metrics.observeRequest(request);
    expect(await linesOf('forum_archive_rate_limited_total')).to.deep.equal([]);
    metrics.observeRequest({ ...request, status: 429, limitedBy: 'reads' });
    expect(await linesOf('forum_archive_rate_limited_total')).to.deep.equal(['{limit="reads"} 1']);
  });

  it('counts requests for statistics by what the caches held, and no others', async () => {
    metrics.observeRequest(request);
    for (const xCache of ['MISS', 'HIT', 'HIT']) metrics.observeRequest({ ...request, xCache });
    metrics.observeRequest({ ...request, operation: 'searchArchive', xCache: 'HIT' });
    // What is read twice must not be counted twice.
    for (let read = 0; read < 2; read += 1) {
      expect(await linesOf('forum_archive_stats_cache_total')).to.have.members([
        '{result="hit"} 2',
        '{result="miss"} 1',
      ]);
    }
  });

  it('tells what the response cache has counted', async () => {
    for (let read = 0; read < 2; read += 1) {
      expect(await linesOf('forum_archive_response_cache_total')).to.have.members([
        '{result="hit"} 3',
        '{result="miss"} 5',
      ]);
      expect(await linesOf('forum_archive_response_cache_bytes')).to.deep.equal([' 11']);
    }
  });

  it('counts the calls to each store, and those that it did not answer', async () => {
    metrics.observeCall('mongodb', 0.25, false);
    metrics.observeCall('mongodb', 2.5, true);
    metrics.observeCall('elasticsearch', 0.5, false);
    const calls = 'forum_archive_store_call_duration_seconds';
    expect(await linesOf(`${calls}_count`)).to.have.members([
      '{store="mongodb"} 2',
      '{store="elasticsearch"} 1',
    ]);
    expect(await linesOf(`${calls}_sum`)).to.have.members([
      '{store="mongodb"} 2.75',
      '{store="elasticsearch"} 0.5',
    ]);
    expect(await linesOf('forum_archive_store_call_failures_total')).to.deep.equal([
      '{store="mongodb"} 1',
    ]);
  });
});
