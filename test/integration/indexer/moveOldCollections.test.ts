import { expect } from 'chai';
import { moveOldCollections } from '../../../services/indexer/moveOldCollections.js';
import { setMarks } from '../../../services/indexer/work/claims.js';
import { erasureIdOf, keyedHash } from '../../../shared/store/erasures.js';
import type { ContributionView, MemberView } from '../../../shared/store/views.js';
import { AT_ONCE, isQuarantined, NEVER } from '../../../shared/store/work.js';
import {
  aForward,
  anAuthor,
  anId,
  aSourceMessage,
  aSourceThread,
} from '../../support/factories.js';
import { indexerDeps, quarantined, record } from '../../support/indexerDeps.js';
import { suiteStores } from '../../support/suiteStores.js';

describe('moveOldCollections', () => {
  const stores = suiteStores();

  it('takes over the key of erasures and the other state, and never replaces it by older state', async () => {
    const { db, collections } = stores.mongo;
    const old = (name: string) => db.collection<{ _id: string; value?: number }>(name);
    // Once somebody is erased, no new key is made.
    await collections.erasures.insertOne({ _id: 'hash', requestedAt: new Date() });
    expect(await erasureIdOf(collections, '1').catch(String)).to.match(/key .* is missing/);
    const documents = {
      erasureState: { _id: 'erasures', salt: 'salt', version: 3 },
      counters: { _id: 'version', value: 7 },
      secrets: { _id: 'cursors', secret: 'secret' },
      searchGenerations: { _id: 'search', targets: ['one', 'two'] },
    };
    for (const [name, document] of Object.entries(documents)) await old(name).insertOne(document);
    await moveOldCollections(stores.mongo);
    expect(await collections.state.find().toArray()).to.have.deep.members(Object.values(documents));
    expect(await erasureIdOf(collections, '1')).to.equal(keyedHash('salt', '1'));
    await old('counters').updateOne({}, { $set: { value: 8 } });
    await moveOldCollections(stores.mongo);
    expect(await collections.state.findOne({ _id: 'version' })).to.include({ value: 7 });
  });

  it('removes people of whom nothing is shown, and completes those of whom something is, once', async () => {
    const { db, collections } = stores.mongo;
    const { contributions, members } = collections;
    const { id: userId, discriminator, ...author } = anAuthor('ada', { id: anId() });
    const users = db.collection<{ _id: string }>('users');
    await users.insertMany([
      { ...author, discriminator, asOf: 1, _id: userId } as { _id: string },
      { ...anAuthor('gone'), _id: anId() },
    ]);
    const rowOf = (who: string) => ({ _id: `1/${who}`, userId: who, messages: 1 });
    const unrecorded = anId();
    await contributions.insertMany([rowOf(userId), rowOf(unrecorded)] as ContributionView[]);
    await members.insertMany([rowOf(userId), rowOf(unrecorded)] as MemberView[]);
    for (let time = 0; time < 2; time += 1) {
      await moveOldCollections(stores.mongo);
      expect(await contributions.find().toArray()).to.deep.equal([{ ...rowOf(userId), author }]);
      const { avatar } = author;
      expect(await members.find().toArray()).to.deep.equal([{ ...rowOf(userId), avatar }]);
      expect(await db.listCollections({ name: 'users' }).toArray()).to.deep.equal([]);
    }
  });

  it('removes the names of files that were taken', async () => {
    const { db, collections } = stores.mongo;
    const { importFiles } = collections;
    await db.createCollection('users');
    const file = { importId: 'i', name: 'Title [1].json', bytes: 1, queuedAt: new Date() };
    const states = ['imported', 'unchanged', 'rejected', 'queued'] as const;
    await importFiles.insertMany(states.map((state) => ({ ...file, _id: state, state })));
    await moveOldCollections(stores.mongo);
    const named = await importFiles.find({ name: file.name }).toArray();
    expect(named.map(({ state }) => state)).to.have.members(['rejected', 'queued']);
  });

  it('cuts values that somebody wrote out of the reasons of rejected files', async () => {
    const { importFiles } = stores.mongo.collections;
    // The words of a library's message, as earlier versions stored it.
    const quoted =
      'reactions[0].emoji.id with value He said with value:\nso fails to match the required pattern: /^\\d{0,20}$/';
    const reasons = [quoted, 'content must be a string with value'];
    await importFiles.insertMany(
      reasons.map((reason, n) => ({
        _id: `old-${n}`,
        importId: 'old',
        state: 'rejected' as const,
        reason,
        bytes: 1,
        queuedAt: new Date(),
      })),
    );
    for (let times = 0; times < 2; times += 1) await moveOldCollections(stores.mongo);
    const left = await importFiles.find({ importId: 'old' }, { sort: { _id: 1 } }).toArray();
    expect(left.map(({ reason }) => reason)).to.deep.equal([
      'reactions[0].emoji.id has a wrong form',
      reasons[1],
    ]);
  });

  it('marks threads with forwarded messages to be built again, once', async () => {
    const { messages, work } = stores.mongo.collections;
    const deps = indexerDeps(stores);
    const [source, other] = [aSourceThread(), aSourceThread()];
    const said = aSourceMessage({ threadId: source.thread._id });
    await record(deps, source, [said]);
    await record(deps, other, [aForward(said, { threadId: other.thread._id })]);
    const marked = () => work.distinct('_id', { kind: 'thread' });
    await work.deleteMany({});
    await moveOldCollections(stores.mongo);
    expect(await marked()).to.deep.equal([]);
    await messages.createIndexes([{ key: { 'reference.messageId': 1 }, name: 'forwards' }]);
    await moveOldCollections(stores.mongo);
    expect(await marked()).to.deep.equal([`thread/${other.thread._id}`]);
    await work.deleteMany({});
    await moveOldCollections(stores.mongo);
    expect(await marked()).to.deep.equal([]);
  });

  it('drops collections that nothing reads any more, whatever they hold', async () => {
    const { db } = stores.mongo;
    const kept = async () =>
      (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).sort();
    const before = await kept();
    for (const name of ['bodyChunks', 'uploadChunks', 'dirty', 'similarMarks'])
      await db.collection(name).insertOne({ data: 'words of somebody' });
    for (let n = 0; n < 2; n += 1) {
      await moveOldCollections(stores.mongo);
      expect(await kept()).to.deep.equal(before);
    }
  });

  it('drops indexes of earlier versions that no query uses', async () => {
    const { sync, threads, contributions, members } = stores.mongo.collections;
    const indexes = async () =>
      (
        await Promise.all([sync, threads, contributions, members].map((one) => one.indexes()))
      ).flat();
    const before = await indexes();
    await sync.createIndexes([{ key: { todo: 1, recent: -1 }, name: 'todo_recent' }]);
    await threads.createIndexes([
      { key: { pending: 1 }, name: 'pending' },
      { key: { erasing: 1 }, name: 'erasing' },
    ]);
    await contributions.createIndexes([{ key: { serverId: 1, userId: 1 }, name: 'server_user' }]);
    await members.createIndexes([{ key: { periodDay: 1 }, name: 'periodDay', sparse: true }]);
    expect(await indexes()).to.have.length(before.length + 5);
    for (let n = 0; n < 2; n += 1) {
      await moveOldCollections(stores.mongo);
      expect(await indexes()).to.have.deep.members(before);
    }
  });

  it('makes marks record what is quarantined, once', async () => {
    const deps = indexerDeps(stores);
    const { db, collections } = stores.mongo;
    const at = new Date();
    const entry = (kind: string, subject: string, threadId: string | null) => ({
      _id: `${kind}-${subject}`,
      kind,
      subject,
      threadId,
      revision: 7,
      reason: 'Error: x',
      firstAt: at,
      lastAt: at,
      count: 5,
    });
    await db
      .collection<{ _id: string }>('quarantine')
      .insertMany([
        entry('document', 'message-1', '2'),
        entry('file', '3', null),
        entry('thread', '4', '4'),
        entry('thread', 'done meanwhile', '5'),
        entry('work', 'person/6', null),
      ]);
    await setMarks(deps, 'thread', ['4']);
    await setMarks(deps, 'person', ['6']);
    await collections.work.updateMany({}, { $set: { due: NEVER } });

    for (let n = 0; n < 2; n += 1) await moveOldCollections(stores.mongo);
    const marks = await collections.work.find().sort({ _id: 1 }).toArray();
    expect(marks.map(({ _id }) => _id)).to.deep.equal([
      'document/message-1',
      'file/3',
      'person/6',
      'thread/4',
    ]);
    expect(marks.every(isQuarantined)).to.equal(true);
    const moved = await quarantined(deps);
    const ids = ['document-message-1', 'file-3', 'thread-4', 'work-person-6'];
    expect(moved.map(({ id }) => id)).to.deep.equal(ids);
    const { _id, ...first } = entry('document', 'message-1', '2');
    expect(moved[0]).to.deep.equal({ id: _id, ...first });
    expect(await db.listCollections({ name: 'quarantine' }).toArray()).to.deep.equal([]);
  });

  it('frees quarantined marks that were set again, and leaves others alone', async () => {
    const deps = indexerDeps(stores);
    const { work } = stores.mongo.collections;
    await setMarks(deps, 'thread', ['again', 'aside']);
    const failed = (failedToken: string): object => ({ due: NEVER, token: 'now', failedToken });
    await work.updateOne({ subject: 'again' }, { $set: failed('before') });
    await work.updateOne({ subject: 'aside' }, { $set: failed('now') });
    await moveOldCollections(stores.mongo);
    const subjects = ['again', 'aside'];
    const marks = await work
      .find({ subject: { $in: subjects } })
      .sort({ due: 1 })
      .toArray();
    expect(marks.map(({ subject }) => subject)).to.deep.equal(subjects);
    expect(marks.map(({ due }) => due)).to.deep.equal([AT_ONCE, NEVER]);
    for (const mark of marks) expect(mark).not.to.have.property('failedToken');
  });

  it('renames quarantine entries whose ids could not be used in a URL', async () => {
    const deps = indexerDeps(stores);
    const { work } = stores.mongo.collections;
    await work.deleteMany({});
    await setMarks(deps, 'member', ['7/8']);
    await setMarks(deps, 'thread', ['9']);
    const at = new Date();
    for (const [_id, id] of [
      ['member/7/8', 'work-member-7/8'],
      ['thread/9', 'thread-9'],
    ] as const) {
      const about = { id, kind: 'work' as const, subject: _id, threadId: null };
      const failure = { ...about, revision: 0, reason: 'x', firstAt: at, lastAt: at, count: 5 };
      await work.updateOne({ _id }, { $set: { failure } });
    }
    for (let n = 0; n < 2; n += 1) {
      await moveOldCollections(stores.mongo);
      const found = await quarantined(deps);
      expect(found.map(({ id, subject }) => [id, subject])).to.deep.equal([
        ['thread-9', 'thread/9'],
        ['work-member-7-8', 'member/7/8'],
      ]);
    }
  });
});
