import { setImmediate as nextTurn } from 'node:timers/promises';
import { mock } from 'node:test';
import { expect } from 'chai';
import {
  MongoServerError,
  type ClientSession,
  type MongoClient,
  type WithTransactionCallback,
} from 'mongodb';
import { isTransient } from '../../../services/indexer/permanentErrors.js';
import type { Change } from '../../../services/indexer/work/change.js';
import { createCommit, type Commit } from '../../../services/indexer/work/commit.js';
import { collectionsOf } from '../../../shared/store/collections.js';
import { requestErasure } from '../../../shared/store/erasures.js';
import type { ImportRecord } from '../../../shared/store/views.js';
import { anId } from '../../support/factories.js';
import { suiteStores } from '../../support/suiteStores.js';

/** When what is counted was made. */
const AT = new Date();

describe('changes in transactions', () => {
  const stores = suiteStores('emptied');
  let commit: Commit;
  before(() => {
    commit = createCommit(stores.mongo.client, stores.mongo.collections);
  });

  const record = (_id: string, files: number): ImportRecord => ({
    _id,
    files,
    createdAt: AT,
  });
  const counter = (_id: string) => stores.mongo.collections.imports.findOne({ _id });
  const marks = () => stores.mongo.collections.work.find().toArray();
  /** Adds one to a counter, and returns the number before. */
  const add = (_id: string): Change<number> => ({
    reads: { imports: [_id] },
    decide(documents) {
      const value = documents.get('imports', _id)?.files ?? 0;
      documents.put('imports', record(_id, value + 1));
      return value;
    },
  });
  const said = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: unknown) => (error as Error).message,
    );
  /** Another process, with its own group of changes. */
  const another = () => createCommit(stores.mongo.client, collectionsOf(stores.mongo.db));
  it('share a transaction when they are requested together, and later ones see what earlier ones put', async () => {
    const asked = Array.from({ length: 40 }, () => add('one'));
    let groups = 0;
    let isBetween = true;
    // All changes of one transaction are decided in one turn of the event loop.
    const counted = (change: Change<number>): Change<number> => ({
      ...change,
      decide(documents) {
        // MongoDB may have the driver try a transaction again.
        if (change === asked[0]) groups = 0;
        if (isBetween) groups += 1;
        isBetween = false;
        setImmediate(() => (isBetween = true));
        return change.decide(documents);
      },
    });
    const before = await Promise.all(asked.map((change) => commit(counted(change))));
    expect(groups).to.equal(1);
    expect(before).to.deep.equal(asked.map((_, n) => n));
    expect(await counter('one')).to.include({ files: 40 });
  });

  it('put, replace and remove documents, whether they read them or not', async () => {
    const { imports } = stores.mongo.collections;
    await imports.insertMany(['a', 'b', 'c', 'd'].map((_id) => record(_id, 1)));
    await commit({
      reads: { imports: ['a', 'b', 'e', 'f'] },
      decide(documents) {
        documents.put('imports', record('a', 2));
        documents.remove('imports', 'b');
        documents.put('imports', record('c', 2));
        documents.remove('imports', 'd');
        documents.put('imports', record('e', 2));
        documents.remove('imports', 'f');
        documents.put('imports', record('g', 2));
      },
    });
    const left: ImportRecord[] = await imports.find().sort({ _id: 1 }).toArray();
    expect(left).to.deep.equal(['a', 'c', 'e', 'g'].map((_id) => record(_id, 2)));
  });

  it('know who is erased when they are decided again', async () => {
    const { collections } = stores.mongo;
    const userId = anId();
    await requestErasure(collections, anId());
    const known: boolean[] = [];
    const client = retryingClient(stores.mongo.client, () => requestErasure(collections, userId));
    await createCommit(
      client,
      collections,
    )({
      reads: { state: ['erasures'] },
      decide: (documents) => known.push(documents.erased().has(userId)),
    });
    expect(known).to.deep.equal([false, true]);
  });

  it('write nothing of a change that throws, and all of the others', async () => {
    const [first, failed, last] = await Promise.all([
      said(commit(add('one'))),
      said(
        commit({
          reads: { imports: ['one'] },
          decide(documents) {
            documents.put('imports', record('one', 99));
            documents.put('imports', record('two', 99));
            documents.mark('server', 'x');
            throw new Error('Not so');
          },
        }),
      ),
      commit(add('one')),
    ]);
    expect([first, failed, last]).to.deep.equal(['done', 'Not so', 1]);
    expect(await counter('one')).to.include({ files: 2 });
    expect(await counter('two')).to.equal(null);
    expect(await marks()).to.deep.equal([]);
  });

  it('fail alone when they cannot be written', async () => {
    const tooLarge = { ...record('huge', 1), text: 'x'.repeat(17 << 20) };
    const [first, failed, last] = await Promise.all([
      said(commit(add('one'))),
      said(
        commit({ reads: {}, decide: (documents) => documents.put('imports', tooLarge as never) }),
      ),
      said(commit(add('two'))),
    ]);
    expect([first, last]).to.deep.equal(['done', 'done']);
    expect(failed).to.not.equal('done');
    expect(await counter('one')).to.include({ files: 1 });
    expect(await counter('two')).to.include({ files: 1 });
  });

  it('fail for good, and alone, when MongoDB aborts their transaction every time', async () => {
    let isHuge = false;
    const huge: Change<void> = {
      reads: {},
      decide(documents) {
        isHuge = true;
        documents.put('imports', record('huge', 1));
      },
    };
    const client = abortingClient(stores.mongo.client, () => {
      const wasHuge = isHuge;
      isHuge = false;
      return wasHuge;
    });
    const commitTo = createCommit(client, stores.mongo.collections);
    const changes = [add('one'), huge, add('one')] as Change<unknown>[];
    const outcomes = await Promise.allSettled(changes.map((change) => commitTo(change)));

    expect(outcomes.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    const reason: unknown = outcomes[1]!.status === 'rejected' ? outcomes[1]!.reason : null;
    expect(isTransient(reason)).to.equal(false);
    expect(String(reason)).to.match(/too large/);
    expect(await counter('one')).to.include({ files: 2 });
    expect(await counter('huge')).to.equal(null);
  });

  it('may only read what they have declared', async () => {
    const reading = commit({ reads: {}, decide: (documents) => documents.get('imports', 'one') });
    expect(await said(reading)).to.include('not among what the change reads');
    const judging = commit({ reads: {}, decide: (documents) => documents.erased() });
    expect(await said(judging)).to.include('does not read who is erased');
  });

  it('are decided again on what others have written meanwhile', async () => {
    const others = [commit, another(), another()];
    const rounds = Array.from({ length: 8 }, () => others.map((one) => one(add('one'))));
    const before = await Promise.all(rounds.flat());
    expect([...before].sort((a, b) => a - b)).to.deep.equal(before.map((_, n) => n));
    expect(await counter('one')).to.include({ files: 24 });
  });

  it('are decided again when a document that was missing was written meanwhile', async () => {
    const ids = Array.from({ length: 20 }, (_, n) => `new ${n}`);
    for (const id of ids) {
      const before = await Promise.all([commit, another()].map((one) => one(add(id))));
      expect(before).to.have.members([0, 1]);
    }
  });

  it('come before the others where they have priority', async () => {
    const ordered = createCommit(stores.mongo.client, stores.mongo.collections);
    const decided: string[] = [];
    const told = (name: string): Change<number> => ({
      ...add(name),
      decide(documents) {
        decided.push(name);
        return add(name).decide(documents);
      },
    });
    const others = Array.from({ length: 200 }, (_, n) => ordered(told(`other ${n}`)));
    await others[0];
    const before = new Set(decided).size;
    await ordered.first(told('first'));
    // At most the transaction under way, and the next one, come before it.
    expect([...new Set(decided)].indexOf('first')).to.be.at.most(before + 64);
    await Promise.all(others);
    expect(await stores.mongo.collections.imports.countDocuments({ files: 1 })).to.equal(201);
  });

  it('leave every other transaction to the others, however many have priority', async () => {
    const ordered = createCommit(stores.mongo.client, stores.mongo.collections);
    let isDone = false;
    let after = 0;
    const goOn = async (): Promise<void> => {
      while (!isDone) {
        await ordered.first(add('first'));
        after += 1;
      }
    };
    // One of the two always waits.
    const going = [goOn(), goOn()];
    await ordered.first(add('first'));
    const begun = after;
    await ordered(add('other'));
    isDone = true;
    const meanwhile = after - begun;
    await Promise.all(going);
    expect(meanwhile).to.be.at.most(6);
  });

  it('are written a thousand documents at once at most, so that other work goes on between', async () => {
    const { imports } = stores.mongo.collections;
    const bulkWrite = mock.method(imports, 'bulkWrite');
    const find = mock.method(imports, 'find');
    const ids = Array.from({ length: 2_500 }, (_, n) => `many-${n}`);
    await commit({
      reads: {},
      decide: (documents) => ids.forEach((id) => documents.put('imports', record(id, 1))),
    });
    const written = bulkWrite.mock.calls.map((call) => call.arguments[0].length);
    const asked = find.mock.calls.map((call) => {
      return (call.arguments[0] as { _id: { $in: string[] } })._id.$in.length;
    });
    bulkWrite.mock.restore();
    find.mock.restore();
    expect([written, asked]).to.deep.equal([
      [1_000, 1_000, 500],
      [1_000, 1_000, 500],
    ]);
    expect(await imports.countDocuments({ _id: { $in: ids } })).to.equal(2_500);
  });

  it('are refused once the process stops, but for its last ones', async () => {
    const ordered = createCommit(stores.mongo.client, stores.mongo.collections);
    const begun = ordered(add('one'));
    await nextTurn();
    const waiting = [ordered, ordered.first].map((one) => said(one(add('one'))));
    const stopped = ordered.stop();
    const late = [ordered, ordered.first].map((one) => said(one(add('one'))));
    expect(await begun).to.equal(0);
    expect(await Promise.all([...waiting, ...late])).to.deep.equal(
      Array.from({ length: 4 }, () => 'The process stops'),
    );
    const last = await stopped;
    expect(await last(add('one'))).to.equal(1);
    expect(await said(ordered(add('one')))).to.equal('The process stops');
  });

  it('are split where they exceed the size of a group, and none is lost', async () => {
    const many = Array.from({ length: 200 }, (_, n) => add(`n${n}`));
    await Promise.all(many.map((change) => commit(change)));
    expect(await stores.mongo.collections.imports.countDocuments({ files: 1 })).to.equal(200);
  });

  it('set a mark once, with all causes, at the earliest time', async () => {
    const later = new Date(Date.now() + 60_000);
    const mark = (reads: string[], cause: string, due?: Date) =>
      commit({
        reads: { work: reads },
        decide: (documents) =>
          documents.mark('thread', '7', { causes: [cause], ...(due && { due }) }),
      });
    await Promise.all([mark([], 'a', later), mark([], 'b')]);
    const [first] = await marks();
    expect(first).to.deep.include({
      _id: 'thread/7',
      kind: 'thread',
      subject: '7',
      due: new Date(0),
    });
    expect(first?.causes).to.have.members(['a', 'b']);
    for (const reads of [['thread/7'], []]) await mark(reads, `read ${reads.length}`, later);
    const [again, ...others] = await marks();
    expect(others).to.deep.equal([]);
    expect(again?.causes).to.have.members(['a', 'b', 'read 1', 'read 0']);
    expect(again).to.deep.include({ at: first!.at, due: first!.due });
    expect(again?.token).to.not.equal(first?.token);
  });
});

/** A client whose first transaction is aborted and tried again, after something has happened meanwhile. */
function retryingClient(client: MongoClient, meanwhile: () => Promise<unknown>): MongoClient {
  let isFirst = true;
  return clientRunning(client, (_session, work, run) =>
    run(async (own) => {
      const made: unknown = await work(own);
      if (!isFirst) return made;
      isFirst = false;
      await meanwhile();
      const errorLabels = ['TransientTransactionError'];
      throw new MongoServerError({ ok: 0, code: 112, errmsg: 'WriteConflict', errorLabels });
    }),
  );
}

/** A client that aborts transactions that are too large, as the driver does once MongoDB has aborted all its tries. */
function abortingClient(client: MongoClient, isTooLarge: () => boolean): MongoClient {
  return clientRunning(client, async (session, work) => {
    session.startTransaction();
    const made: unknown = await work(session);
    if (!isTooLarge()) {
      await session.commitTransaction();
      return made;
    }
    await session.abortTransaction();
    throw new MongoServerError({
      ok: 0,
      code: 251,
      errmsg: 'Transaction with { txnNumber: 1 } has been aborted.',
      errorLabels: ['TransientTransactionError'],
    });
  });
}

type RunTransaction = (work: WithTransactionCallback) => Promise<unknown>;

/** A client that runs its transactions by `run`, which is also given how the driver runs them. */
function clientRunning(
  client: MongoClient,
  run: (
    session: ClientSession,
    work: WithTransactionCallback,
    asDriver: RunTransaction,
  ) => Promise<unknown>,
): MongoClient {
  const withSession = (use: (session: ClientSession) => Promise<unknown>): Promise<unknown> =>
    client.withSession((session) => {
      const asDriver: RunTransaction = session.withTransaction.bind(session);
      const withTransaction: RunTransaction = (work) => run(session, work, asDriver);
      return use(Object.assign<ClientSession, object>(session, { withTransaction }));
    });
  return { withSession } as unknown as MongoClient;
}
