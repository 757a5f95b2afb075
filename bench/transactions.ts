/**
 * Measures what it costs MongoDB to store threads with their views in three ways, 128 threads at once: by gathered
 * single writes; by one transaction for each thread's records and one for its views; and by `createCommit`, which
 * gathers both.
 *
 * transactions.js [--threads N] [--messages N]
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Binary, WriteConcern, type ClientSession } from 'mongodb';
import { createCommit } from '../services/indexer/work/commit.js';
import { createMongo, type Mongo } from '../shared/platform/clients.js';
import { readSettings } from '../shared/platform/env.js';
import { findGathered, insertGathered, writeAllGathered } from '../shared/store/gather.js';
import { ensureIndexes } from '../shared/store/indexes.js';
import type { MessageRecord, ThreadRecord } from '../shared/store/records.js';
import type { BodyView } from '../shared/store/views.js';
import { markId, markWrite } from '../shared/store/work.js';
import { aMessage, aThread } from '../test/support/factories.js';
import { withDatabase } from '../test/support/stores.js';
import { cpuSeconds } from './cpuTime.js';

const AT_ONCE = 128;
const { values } = parseArgs({
  options: {
    threads: { type: 'string', default: '1500' },
    messages: { type: 'string', default: '20' },
  },
});
const size = { threads: Number(values.threads), messages: Number(values.messages) };
const settings = readSettings();

/** A thread's records, and the body that is made of them. */
interface Stored {
  thread: ThreadRecord;
  messages: MessageRecord[];
  body: BodyView;
}

type Way = (mongo: Mongo) => (stored: Stored) => Promise<void>;

/** Each write by itself. Writes of concurrent threads are gathered. */
const gathered: Way = ({ collections }) => {
  const { threads, messages, bodies, work } = collections;
  return async ({ thread, messages: said, body }) => {
    await findGathered(threads, thread._id);
    await Promise.all(said.map(({ _id }) => findGathered(messages, _id)));
    await writeAllGathered(work, [markWrite('thread', thread._id)]);
    await insertGathered(threads, [thread]);
    await insertGathered(messages, said);
    await writeAllGathered(work, [markWrite('thread', thread._id)]);
    const mark = await findGathered(work, markId('thread', thread._id));
    await insertGathered(bodies, [body]);
    await writeAllGathered(work, [markWrite('server', thread.serverId)]);
    const filter = { _id: mark!._id, token: mark!.token };
    await writeAllGathered(work, [{ deleteOne: { filter } }]);
  };
};

/** One transaction for the records, and one for the view. */
const single: Way = ({ client, collections }) => {
  const { threads, messages, bodies, work } = collections;
  const transact = (run: (session: ClientSession) => Promise<unknown>) =>
    client.withSession((session) =>
      session.withTransaction(() => run(session), {
        readConcern: { level: 'snapshot' },
        writeConcern: new WriteConcern('majority'),
      }),
    );
  return async ({ thread, messages: said, body }) => {
    await transact(async (session) => {
      await threads.findOne({ _id: thread._id }, { session });
      const ids = said.map(({ _id }) => _id);
      await messages.find({ _id: { $in: ids } }, { session }).toArray();
      await threads.insertOne(thread, { session });
      await messages.insertMany(said, { session });
      await work.bulkWrite([markWrite('thread', thread._id)], { session });
    });
    await transact(async (session) => {
      await work.findOne({ _id: markId('thread', thread._id) }, { session });
      await bodies.insertOne(body, { session });
      await work.bulkWrite([markWrite('server', thread.serverId)], { session });
      await work.deleteOne({ _id: markId('thread', thread._id) }, { session });
    });
  };
};

/** The same two changes. Those of concurrent threads share a transaction. */
const grouped: Way = ({ client, collections }) => {
  const commit = createCommit(client, collections);
  return async ({ thread, messages: said, body }) => {
    await commit({
      reads: { threads: [thread._id], messages: said.map(({ _id }) => _id) },
      decide(documents) {
        documents.put('threads', thread);
        for (const message of said) documents.put('messages', message);
        documents.mark('thread', thread._id);
      },
    });
    await commit({
      reads: { work: [markId('thread', thread._id)] },
      decide(documents) {
        documents.put('bodies', body);
        documents.mark('server', thread.serverId);
        documents.remove('work', markId('thread', thread._id));
      },
    });
  };
};

for (let round = 1; round <= 2; round += 1) {
  await measure('gathered single writes', gathered);
  await measure('a transaction for each', single);
  await measure('grouped transactions', grouped);
}

async function measure(name: string, way: Way): Promise<void> {
  const database = `bench_${randomUUID().slice(0, 8)}`;
  const mongo = createMongo(
    { MONGODB_URL: withDatabase(settings.MONGODB_URL, database) },
    { timeoutMs: 120_000, poolSize: AT_ONCE },
  );
  try {
    await ensureIndexes(mongo.collections);
    const { pid } = await mongo.db.admin().serverStatus();
    const all = Array.from({ length: size.threads }, aStored);
    const store = way(mongo);
    const [server, own] = [cpuSeconds(Number(pid)) ?? 0, process.cpuUsage()];
    const began = performance.now();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let next = all.pop(); next; next = all.pop()) await store(next);
      }),
    );
    const seconds = (performance.now() - began) / 1_000;
    const { user, system } = process.cpuUsage(own);
    const used = (cpuSeconds(Number(pid)) ?? 0) - server;
    const rate = Math.round((size.threads * size.messages) / seconds);
    console.log(
      `${name}: ${rate} messages/s; CPU seconds: MongoDB ${used.toFixed(1)}, client ${((user + system) / 1e6).toFixed(1)}`,
    );
  } finally {
    await mongo.db.dropDatabase();
    await mongo.client.close();
  }
}

function aStored(): Stored {
  const thread = aThread();
  const messages = Array.from({ length: size.messages }, (_, n) =>
    aMessage({ threadId: thread._id, content: `${n} `.padEnd(200, 'what was said ') }),
  );
  const gzip = new Binary(randomBytes(4_000));
  const body = {
    _id: `thread/${thread._id}`,
    revision: 1,
    renderer: 1,
    etag: 'x',
    length: 1,
    gzip,
  };
  return { thread, messages, body };
}
