import { expect } from 'chai';
import { isNewer } from '../../../services/indexer/records/messageOrder.js';
import type { SourceMessage } from '../../../shared/store/records.js';
import type { ThreadDetail } from '../../../shared/contract/threads.js';
import { aSourceMessage, aSourceThread, anId } from '../../support/factories.js';
import { anotherProcess, build, record } from '../../support/indexerDeps.js';
import { readBody } from '../../support/readBody.js';
import { indexerSuite } from '../../support/suiteStores.js';

/** The latest of several messages that tell different things for the same time. */
function winnerOf(messages: SourceMessage[]): SourceMessage {
  return messages.reduce((best, one) => (isNewer(one, best) ? one : best));
}

describe('different sources of the same time', () => {
  const { stores, deps } = indexerSuite();

  /** Versions of one message in a new thread, all told for the same time. An older version may come before them. */
  async function start(withOlder: boolean) {
    const source = aSourceThread({ asOf: 5_000 });
    const threadId = source.thread._id;
    const say = (content: string, asOf: number) =>
      aSourceMessage({ _id: threadId, threadId, content, asOf, createdAt: new Date(0) });
    await record(deps, source, withOlder ? [say('older', 1_000)] : []);
    const tell = (message: SourceMessage) =>
      record(anotherProcess(deps, stores), source, [message]);
    const versions = ['one', 'two', 'three', 'four'].map((text) => say(text, 5_000));
    return { threadId, versions, tell };
  }
  const shown = async (threadId: string) => {
    await build(deps, threadId);
    const body = await readBody<ThreadDetail>(deps.collections, `thread/${threadId}`);
    return body?.messages.map(({ content }) => content);
  };

  for (const withOlder of [false, true]) {
    const where = withOlder ? 'over an older one' : 'where there was none';

    it(`give the same result in every order, ${where}`, async () => {
      for (const order of [
        [0, 1, 2, 3],
        [3, 2, 1, 0],
        [1, 3, 0, 2],
      ]) {
        const { threadId, versions, tell } = await start(withOlder);
        for (const n of order) await tell(versions[n]!);
        expect(await shown(threadId)).to.deep.equal([winnerOf(versions).content]);
        for (const version of versions)
          expect(await tell(version)).to.include({ isChanged: false });
      }
    });

    it(`give the same result when they come at once, ${where}`, async () => {
      for (let round = 0; round < 4; round += 1) {
        const { threadId, versions, tell } = await start(withOlder);
        await Promise.all(versions.map((version) => tell(version)));
        expect(await shown(threadId)).to.deep.equal([winnerOf(versions).content]);
      }
    });
  }

  it('name who started a thread, even if one says that nobody is to be named', async () => {
    const owner = anId();
    const say = (asOf: number, ownerId: string) => aSourceThread({ asOf, thread: { ownerId } });
    const { threads } = deps.collections;
    for (const [earlier, later] of [
      ['0', owner],
      [owner, '0'],
    ] as const) {
      const { thread, server, channel } = say(1_000, earlier);
      for (const [asOf, ownerId] of [
        [2_000, later],
        [1_000, earlier],
        [3_000, '0'],
      ] as const) {
        const told = { ...thread, ownerId };
        await record(deps, { asOf, server, channel, thread: told });
      }
      expect((await threads.findOne({ _id: thread._id }))?.ownerId).to.equal(owner);
    }
  });
});
