import type { Client } from '@elastic/elasticsearch';
import { expect } from 'chai';
import { retryQuarantined } from '../../../services/indexer/jobs/retryQuarantined.js';
import { recordRefusals } from '../../../services/indexer/quarantine/recordRefusals.js';
import { releaseHealed } from '../../../services/indexer/quarantine/releaseHealed.js';
import { reindexSearch } from '../../../services/indexer/search/reindexSearch.js';
import { enterRebuild } from '../../../shared/store/searchGenerations.js';
import { documentId, searchAlias } from '../../../shared/store/searchIndex.js';
import { setMarks } from '../../../services/indexer/work/claims.js';
import { anId, aSourceMessage, aSourceThread } from '../../support/factories.js';
import { build, doAll, quarantined as failures, record } from '../../support/indexerDeps.js';
import { indexerSuite } from '../../support/suiteStores.js';
import { bringToRest, verifyNow } from '../../support/verifiedArchive.js';

/** A year that the index's date format does not know. */
const POISON = new Date('+012000-01-01T00:00:00.000Z');

describe('documents that the search index refuses', () => {
  const { stores, deps } = indexerSuite('renewed');

  const quarantined = () => failures(deps);
  const marks = () => deps.collections.work.countDocuments({ kind: 'thread' });
  const source = async (messageId: string) => {
    const found = await stores.elasticsearch.get<{ kind: string }>({
      index: searchAlias(stores.mongo.namespace),
      id: documentId('message', messageId),
    });
    return found._source?.kind;
  };
  const found = async () => {
    await stores.refreshSearch();
    const { count } = await stores.elasticsearch.count({
      index: searchAlias(stores.mongo.namespace),
      query: { terms: { kind: ['thread', 'message'] } },
    });
    return count;
  };

  async function recordThread(messages: number) {
    const thread = aSourceThread();
    const threadId = thread.thread._id;
    const said = Array.from({ length: messages }, () => aSourceMessage({ threadId }));
    await record(deps, thread, said);
    return { threadId, said };
  }
  const change = async (threadId: string, messageId: string, createdAt: Date) => {
    await deps.collections.messages.updateOne({ _id: messageId }, { $set: { createdAt } });
    await setMarks(deps, 'thread', [threadId]);
  };

  it('quarantines one of 500, stores the others, and leaves no mark behind', async () => {
    const { threadId, said } = await recordThread(500);
    const other = await recordThread(3);
    const poison = said[250]!;
    await change(threadId, poison._id, POISON);
    await Promise.all([build(deps, threadId), build(deps, other.threadId)]);

    expect(await found()).to.equal(499 + 1 + 3 + 1);
    expect(await marks()).to.equal(0);
    const [entry, ...more] = await quarantined();
    expect(more).to.deep.equal([]);
    const { revision } = (await deps.collections.threadItems.findOne({ _id: threadId }))!;
    expect(entry).to.deep.include({
      id: `document-message-${poison._id}`,
      kind: 'document',
      threadId,
      revision,
      count: 1,
      subject: documentId('message', poison._id),
    });
    expect(entry!.reason).to.match(/^document_parsing_exception: .*createdAt/);
    expect(await releaseHealed(deps)()).to.equal(0);

    await bringToRest(deps, stores);
    const { clean, differences, checked } = await verifyNow(deps);
    expect(differences).to.deep.equal([]);
    expect(clean).to.equal(true);
    expect(checked).to.include({ refused: 1 });
    // The document is missing in its present version, and was refused in an earlier one.
    const older = { $inc: { 'failure.revision': -1 } };
    await deps.collections.work.updateOne({ 'failure.id': entry!.id }, older);
    const [missing] = (await verifyNow(deps)).differences;
    expect(missing).to.include({ kind: 'search.wrong', id: threadId });
  });

  it('does not keep verification from finding an older document in its place', async () => {
    const { threadId, said } = await recordThread(2);
    const { _id } = said[1]!;
    await build(deps, threadId);
    const place = { index: searchAlias(deps.namespace), id: documentId('message', _id) };
    const older = await deps.elasticsearch.get<object>(place);
    await change(threadId, _id, POISON);
    await build(deps, threadId);
    await bringToRest(deps, stores);
    expect(await verifyNow(deps)).to.include({ clean: true });
    // As where the index was restored from a snapshot that is older than the refusal.
    const { _version: version = 0 } = await deps.elasticsearch.get(place);
    const document = older._source!;
    await deps.elasticsearch.index({ ...place, document, version, version_type: 'external_gte' });
    const { counts, clean } = await verifyNow(deps, { repair: true });
    expect({ counts, clean }).to.deep.equal({
      counts: { 'search.wrong': { found: 1, mended: 1 } },
      clean: true,
    });
    expect(await source(_id)).to.equal('tombstone');
  });

  it('removes the older version from search, and adds the document when it is mended', async () => {
    const { threadId, said } = await recordThread(2);
    const { _id, createdAt } = said[1]!;
    await build(deps, threadId);
    expect(await source(_id)).to.equal('message');

    await change(threadId, _id, POISON);
    await build(deps, threadId);
    expect(await source(_id)).to.equal('tombstone');
    await setMarks(deps, 'thread', [threadId]);
    await build(deps, threadId);
    expect((await quarantined()).map(({ count }) => count)).to.deep.equal([2]);
    const quarantineId = (await quarantined())[0]!.id;
    await retryQuarantined(deps, { quarantineId });
    await doAll(deps);
    expect((await quarantined()).map(({ count }) => count)).to.deep.equal([3]);

    await change(threadId, _id, createdAt);
    await build(deps, threadId);
    expect(await source(_id)).to.equal('message');
    expect(await releaseHealed(deps)()).to.equal(1);
    expect(await quarantined()).to.deep.equal([]);
  });

  it('keeps no rebuild of the index from ending', async () => {
    const { threadId, said } = await recordThread(2);
    await change(threadId, said[1]!._id, POISON);
    await build(deps, threadId);
    const { id: rebuildId } = await enterRebuild(deps.collections);
    const outcome = await reindexSearch(deps, { rebuildId });
    expect(outcome).to.deep.include({ state: 'done', mended: 1 });
    expect(await found()).to.equal(2);
  });

  it('are looked at some at a time, and all of them in turn', async () => {
    const threadId = anId();
    const ids = ['a', 'b', 'c', 'd', 'e'].map((one) => documentId('message', `${threadId}${one}`));
    const refusals = ids.map((id) => ({ id, threadId, reason: 'It is refused', revision: 1 }));
    await deps.collections.work.deleteMany({ kind: 'document' });
    await recordRefusals(deps, refusals);
    const asked: string[][] = [];
    const elasticsearch = Object.create(deps.elasticsearch, {
      mget: {
        value(request: { ids: string[] }) {
          asked.push(request.ids);
          const stored = { found: true, _version: 2, _source: {} };
          const docs = request.ids.map((id) => (id === ids[3] ? stored : { found: false }));
          return Promise.resolve({ docs });
        },
      },
    }) as Client;
    const release = releaseHealed({ ...deps, elasticsearch }, 2);
    const released = [await release(), await release(), await release(), await release()];
    expect(asked).to.deep.equal([ids.slice(0, 2), ids.slice(2, 4), [ids[4]], ids.slice(0, 2)]);
    expect(released).to.deep.equal([0, 1, 0, 0]);
    expect((await quarantined()).map(({ subject }) => subject)).to.not.include(ids[3]);
    await deps.collections.work.deleteMany({ kind: 'document' });
  });

  it('keeps a document quarantined that is refused again just when it is to be released', async () => {
    const { threadId, said } = await recordThread(2);
    const { _id, createdAt } = said[1]!;
    for (const at of [POISON, createdAt]) {
      await change(threadId, _id, at);
      await build(deps, threadId);
    }
    const elasticsearch = Object.create(deps.elasticsearch, {
      mget: {
        async value(request: Parameters<Client['mget']>[0]) {
          const answer = await deps.elasticsearch.mget(request);
          await change(threadId, _id, POISON);
          await build(deps, threadId);
          return answer;
        },
      },
    }) as Client;
    expect(await releaseHealed({ ...deps, elasticsearch })()).to.equal(0);
    expect((await quarantined()).map(({ subject }) => subject)).to.deep.equal([
      documentId('message', _id),
    ]);
  });
});
