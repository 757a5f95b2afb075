import { expect } from 'chai';
import { readMessages } from '../../../services/indexer/sync/readMessages.js';
import type { LoadedServer } from '../../../services/indexer/sync/syncDeps.js';
import type { PlatformClient } from '../../../shared/discordApi/platformClient.js';
import { PlatformAway, PlatformRefused } from '../../../shared/discordApi/platformErrors.js';
import { syncOf } from '../../../shared/store/syncRecords.js';
import { until } from '../../support/apiServer.js';
import { syncDeps } from '../../support/answeringPlatform.js';
import { aMessage, aThread, anId } from '../../support/factories.js';
import { indexerSuite } from '../../support/suiteStores.js';

describe('a message that is to be read again', () => {
  const { deps } = indexerSuite('emptied');
  const place = { serverId: anId(), channelId: anId() };

  /**
   * Reads a recorded message again. `answer` is asked for once. Resolves with the messages that are still to be read.
   */
  async function readAgain(answer: () => Promise<never>) {
    const threadId = anId();
    const message = aMessage({ threadId });
    await deps.collections.threads.insertOne(aThread({ _id: threadId, ...place }));
    await deps.collections.messages.insertOne(message);
    const messages = syncOf(deps.collections.sync, 'message');
    await messages.insertOne({
      _id: `message/${message._id}`,
      kind: 'message',
      messageId: message._id,
      threadId,
      ...place,
      dueAt: new Date(0),
      token: 'first',
    });
    const server = { ...place, channels: new Map([[place.channelId, {}]]) };
    const servers = new Map([[place.serverId, server as unknown as LoadedServer]]);
    const stopped = new AbortController();
    const platform: PlatformClient = { get: answer };
    const own = syncDeps(deps, platform, { servers, signal: stopped.signal });
    const reading = readMessages(own);
    const isDue = { dueAt: { $lte: new Date() } };
    await until(async () => (await messages.countDocuments(isDue)) === 0);
    stopped.abort();
    await reading;
    return { left: await messages.find().toArray(), _id: message._id };
  }
  const isDeleted = async (_id: string) =>
    (await deps.collections.messages.findOne({ _id }))?.deleted === true;
  const unknown = () => Promise.reject(new PlatformRefused('Unknown Message', 404, 10_008));

  it('is removed where the platform says that it was deleted', async () => {
    const { left, _id } = await readAgain(unknown);
    expect(await isDeleted(_id)).to.equal(true);
    expect(left).to.deep.equal([]);
  });

  it('stays, and is given up, where the bot may not see it', async () => {
    const { left, _id } = await readAgain(() =>
      Promise.reject(new PlatformRefused('Missing Access', 403, 50_001)),
    );
    expect(await isDeleted(_id)).to.equal(false);
    expect(left).to.deep.equal([]);
  });

  it('is read later while the platform is away', async () => {
    const { left } = await readAgain(() => Promise.reject(new PlatformAway('It is away')));
    expect(left.map(({ token }) => token)).to.deep.equal(['first']);
  });

  it('is read once more where it changed during the reading', async () => {
    const { left } = await readAgain(async () => {
      await deps.collections.sync.updateMany({}, { $set: { token: 'second' } });
      return unknown();
    });
    expect(left.map(({ token }) => token)).to.deep.equal(['second']);
  });
});
