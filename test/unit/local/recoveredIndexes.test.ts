import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { isRecovered, reportDamaged } from '../../../services/local/recoveredIndexes.js';

const SEARCHED = 'pets-search-000002';
const OTHER = 'plants-search-000001';

/** What Elasticsearch tells of a primary shard, in each of its states after a start. */
const STARTED = { primary: true, state: 'STARTED' };
const unassigned = (allocation_status: string, failed_attempts?: number) => ({
  primary: true,
  state: 'UNASSIGNED',
  unassigned_info: { allocation_status, failed_attempts },
});
const LOOKED_FOR = unassigned('fetching_shard_data');
const LOST = unassigned('no_valid_shard_copy');
const TRIED_AGAIN = unassigned('no_valid_shard_copy', 2);
const OPENED = { ...unassigned('no_valid_shard_copy', 2), state: 'INITIALIZING' };
const GIVEN_UP = unassigned('deciders_no', 5);
const WITHOUT_COPY = { ...unassigned('no_attempt'), primary: false };

type Shards = Record<string, object[]>;
const BLOCK = { retryable: true, description: 'state not recovered / initialized' };

/** A node that has these shards, one for each index. It finds only those of this archive by its alias. */
async function withNode(
  { shards, isKnown = true }: { shards: Shards; isKnown?: boolean },
  work: (url: string) => Promise<void>,
): Promise<void> {
  const server = createServer(({ url = '' }, response) => {
    const isAll = url.includes('routing_table/_all?');
    expect(isAll || url.includes('routing_table/pets-search?'), url).to.equal(true);
    const told = Object.entries(shards).filter(([index]) => isAll || index === SEARCHED);
    response.end(
      JSON.stringify({
        blocks: isKnown ? {} : { global: { '1': BLOCK } },
        routing_table: {
          indices: Object.fromEntries(told.map(([index, own]) => [index, { shards: { 0: own } }])),
        },
      }),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('isRecovered', () => {
  const isReady = async (node: Parameters<typeof withNode>[0]): Promise<boolean> => {
    let answer = false;
    await withNode(node, async (url) => void (answer = await isRecovered(url)));
    return answer;
  };

  it('waits until Elasticsearch knows its indexes, and has opened each', async () => {
    expect(await isReady({ shards: {}, isKnown: false })).to.equal(false);
    expect(await isReady({ shards: {} })).to.equal(true);
    for (const shard of [LOOKED_FOR, TRIED_AGAIN, OPENED])
      expect(await isReady({ shards: { [SEARCHED]: [shard] } })).to.equal(false);
    const shards = { [SEARCHED]: [STARTED, WITHOUT_COPY], [OTHER]: [STARTED] };
    expect(await isReady({ shards })).to.equal(true);
  });

  it('does not wait for damaged indexes', async () => {
    const shards = { [SEARCHED]: [STARTED], [OTHER]: [LOST], another: [GIVEN_UP] };
    expect(await isReady({ shards })).to.equal(true);
  });
});

describe('reportDamaged', () => {
  const judge = async (shards: Shards): Promise<string[]> => {
    const lines: string[] = [];
    await withNode({ shards }, (url) =>
      reportDamaged(
        { MONGODB_URL: 'mongodb://127.0.0.1/pets', ELASTICSEARCH_URL: url, REDIS_URL: '' },
        { line: (line) => void lines.push(line) },
      ),
    );
    return lines;
  };

  it('names each damaged index, and what to do', async () => {
    expect(await judge({ [SEARCHED]: [STARTED], [OTHER]: [STARTED] })).to.deep.equal([]);
    for (const shard of [LOST, GIVEN_UP]) {
      const [told = '', ...more] = await judge({ [SEARCHED]: [shard], [OTHER]: [STARTED] });
      expect(told).to.include(`cannot read the index ${SEARCHED}`).and.include('reindex --search');
      expect(more).to.deep.equal([]);
    }
    const [told = '', ...more] = await judge({ [SEARCHED]: [STARTED], [OTHER]: [LOST] });
    expect(told).to.match(new RegExp(`cannot read the index ${OTHER}.*DELETE '.*/${OTHER}'$`));
    expect(more).to.deep.equal([]);
  });
});
