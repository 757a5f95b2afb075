import { expect } from 'chai';
import { bodyOf } from '../../../shared/store/pieces.js';
import { requestErasure } from '../../../shared/store/erasures.js';
import { deleteThread } from '../../../services/indexer/jobs/deleteThread.js';
import { eraseUser } from '../../../services/indexer/jobs/eraseUser.js';
import { ingest } from '../../../services/indexer/ingest/ingest.js';
import { REPORT_NOBODY } from '../../../services/indexer/report.js';
import { BodyWriter, encodeBody } from '../../../services/indexer/stores/bodyWriter.js';
import { removeOrphanPieces } from '../../../services/indexer/stores/orphanPieces.js';
import { aSourceMessage, aSourceThread, anAuthor } from '../../support/factories.js';
import { build, endLeases, inBatches, stalled } from '../../support/indexerDeps.js';
import { noise } from '../../support/noise.js';
import { indexerSuite } from '../../support/suiteStores.js';

describe('bodies in pieces', () => {
  const { deps } = indexerSuite();

  /** The revisions of a body's pieces, with one entry for each piece. */
  const pieces = async (body: string) => {
    const stored = await deps.collections.pieces
      .find({ _id: { $regex: `^body/${body}/` } }, { projection: { _id: 1 } })
      .toArray();
    return stored.map(({ _id }) => bodyOf(_id.slice(0, _id.lastIndexOf('/')))!.revision);
  };
  const isLarge = async (writer: BodyWriter, seed: number) => {
    for (let n = 0; n < 30; n += 1) await writer.write(noise(seed + n, 65_536));
  };

  /** Records a thread whose body is cut into pieces. Ada has started it, and Zoe has written the rest. */
  async function aLongThread() {
    const source = aSourceThread();
    const threadId = source.thread._id;
    const zoe = anAuthor('zoe', {
      id: `7777777777777${Math.floor(Math.random() * 90_000) + 10_000}`,
    });
    const messages = Array.from({ length: 500 }, (_, n) =>
      n === 0
        ? aSourceMessage({ _id: threadId, threadId })
        : aSourceMessage({ threadId, author: zoe, content: noise(n, 3_900) }),
    );
    await ingest(deps, { told: source }, inBatches(messages, 300));
    return { threadId, body: `thread/${threadId}`, userId: zoe.id };
  }

  /** Records and builds such a thread. */
  async function aBuiltThread() {
    const long = await aLongThread();
    await build(deps, long.threadId);
    expect(await pieces(long.body)).to.have.length.above(1);
    return long;
  }

  it('leaves no piece of a build that came too late', async () => {
    const { threadId, body } = await aLongThread();
    const late = stalled(deps, async () => {
      await endLeases(deps, threadId);
      await deleteThread(deps, { threadId });
    });
    await build(late, threadId);
    expect(await pieces(body)).to.deep.equal([]);
  });

  it('removes what a process has left that ended too early to remove it, and nothing else', async () => {
    await deps.collections.bodies.insertOne(encodeBody('thread/2', 6, '{}'));
    const cutOff = new BodyWriter(deps.collections, 'thread/2', 5);
    const underWay = new BodyWriter(deps.collections, 'thread/2', 7);
    await isLarge(cutOff, 3);
    await isLarge(underWay, 4);
    await removeOrphanPieces(deps.collections);
    expect(new Set(await pieces('thread/2'))).to.deep.equal(new Set([7]));
    cutOff.abandon();
    await underWay.finish();
    expect(new Set(await pieces('thread/2'))).to.deep.equal(new Set([7]));
  });

  it('keeps no piece of a thread that is deleted', async () => {
    const { threadId, body } = await aBuiltThread();
    await deleteThread(deps, { threadId });
    expect(await pieces(body)).to.deep.equal([]);
  });

  it('keeps no piece of what somebody wrote who is erased', async () => {
    const { body, userId } = await aBuiltThread();
    const erasureId = await requestErasure(deps.collections, userId);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    expect(await pieces(body)).to.deep.equal([]);
    expect(await deps.collections.bodies.findOne({ _id: body })).to.not.equal(null);
  });
});
