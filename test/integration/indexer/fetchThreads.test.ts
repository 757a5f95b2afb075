import { expect } from 'chai';
import { fetchThreads } from '../../../services/indexer/sync/fetchThreads.js';
import type { LoadedServer, SyncDeps } from '../../../services/indexer/sync/syncDeps.js';
import type { PlatformRequest } from '../../../shared/discordApi/platformClient.js';
import { idKey } from '../../../shared/store/listKeys.js';
import { NOTHING_FETCHED, syncOf, type SyncThread } from '../../../shared/store/syncRecords.js';
import { until } from '../../support/apiServer.js';
import { anId } from '../../support/factories.js';
import { indexerSuite } from '../../support/suiteStores.js';

describe('fetching threads', () => {
  const { deps } = indexerSuite('emptied');
  const place = { serverId: anId(), channelId: anId() };

  const aThread = (more: Partial<SyncThread> = {}): SyncThread => {
    const _id = anId();
    return {
      ...{ _id, kind: 'thread', ...place, digest: '', asOf: 1, todo: 'new' },
      ...{ messageCount: 0, totalSent: 0, lastMessageId: null, recent: idKey(_id) },
      ...NOTHING_FETCHED,
      ...more,
    };
  };

  /** The threads that are asked for, in this order, until so many are: the platform answers none of the requests. */
  async function askedFor(count: number): Promise<string[]> {
    const asked: string[] = [];
    const stopped = new AbortController();
    const unanswered = new Promise<never>((_resolve, reject) => {
      stopped.signal.addEventListener('abort', () => reject(stopped.signal.reason as Error));
    });
    const get = ({ path }: PlatformRequest<unknown>) => {
      asked.push(/^\/channels\/(\d+)/.exec(path)![1]!);
      return unanswered;
    };
    const server = { ...place, channels: new Map([[place.channelId, {}]]) };
    const own = {
      ...deps,
      platform: { get },
      signal: stopped.signal,
      servers: new Map([[place.serverId, server as unknown as LoadedServer]]),
    };
    const fetching = fetchThreads(own as unknown as SyncDeps);
    try {
      await until(() => asked.length >= count);
    } finally {
      stopped.abort();
      await fetching;
    }
    return asked;
  }

  it('begins with the most recently active, and leaves those for the end that have failed', async () => {
    const fresh = [aThread(), aThread({ todo: 'all' }), aThread()];
    const ago = (ms: number) => new Date(Date.now() - ms);
    // As many as are fetched at once, all of them active after the others.
    const failed = Array.from({ length: 32 }, (_, n) => aThread({ dueAt: ago(1_000 + n) }));
    const later = aThread({ dueAt: ago(-3_600_000) });
    await syncOf(deps.collections.sync, 'thread').insertMany([...fresh, ...failed, later]);
    const inOrder = [...fresh.toReversed(), ...failed.toReversed()].map(({ _id }) => _id);
    expect(await askedFor(32)).to.deep.equal(inOrder.slice(0, 32));
  });
});
