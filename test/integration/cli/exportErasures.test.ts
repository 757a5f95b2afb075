import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { exportArchive } from '../../../services/cli/export/exportArchive.js';
import { walkFiles } from '../../../services/cli/walkFiles.js';
import type { ExportChannel, ExportMessage } from '../../../shared/exportFormat/exportTypes.js';
import type { Collections } from '../../../shared/store/collections.js';
import { announceErasure, requestErasure } from '../../../shared/store/erasures.js';
import type {
  AuthorSnapshot,
  ChannelRecord,
  MessageRecord,
  ThreadRecord,
} from '../../../shared/store/records.js';
import { ERASED_ID, REDACTED } from '../../../shared/store/redacted.js';
import { aChannel, aMessage, anAuthor, anId, aServer, aThread } from '../../support/factories.js';
import { suiteStores } from '../../support/suiteStores.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

describe('an export while an erasure is requested but not done', () => {
  const stores = suiteStores();
  const ADA = anAuthor('ada');
  let bob: AuthorSnapshot;
  let forum: ChannelRecord;
  let traces: RegExp;

  beforeEach(async () => {
    const { servers, channels, contributions } = stores.mongo.collections;
    bob = anAuthor('bartholomew', { id: anId(), displayName: 'Barty' });
    traces = new RegExp(`${bob.id}|bartholomew|barty`, 'i');
    const server = aServer({ description: `Ask <@${bob.id}>` });
    forum = aChannel({ serverId: server._id, topic: `Run by <@${bob.id}>` });
    await servers.insertOne(server);
    await channels.insertOne(forum);
    const { id: userId, discriminator: _discriminator, ...author } = bob;
    const at = new Date(0);
    await contributions.insertOne({
      _id: `1/${userId}`,
      threadId: '1',
      serverId: server._id,
      userId,
      author,
      revision: 1,
      messages: 1,
      threads: 0,
      reactions: 0,
      firstAt: at,
      lastAt: at,
      days: [],
    });
  });
  afterEach(async () => {
    const { servers, channels, threads, contributions } = stores.mongo.collections;
    await Promise.all([servers, channels, threads].map((kept) => kept.deleteMany({})));
    await stores.mongo.collections.messages.deleteMany({});
    await contributions.deleteMany({});
  });

  const addThread = async (
    more: Partial<ThreadRecord>,
    messages: Partial<MessageRecord>[],
  ): Promise<string> => {
    const { threads, messages: said } = stores.mongo.collections;
    const thread = aThread({ serverId: forum.serverId, channelId: forum._id, ...more });
    await threads.insertOne(thread);
    const threadId = thread._id;
    await said.insertMany(messages.map((message) => aMessage({ threadId, ...message })));
    return threadId;
  };

  /** The text of every exported file, by its name. */
  const exported = async (mongo = stores.mongo as Parameters<typeof exportArchive>[0]) => {
    const texts = new Map<string, string>();
    await withTemporaryFolder(async (folder) => {
      await exportArchive(mongo, join(folder, 'out'), { force: false });
      for (const { path } of await walkFiles([folder]))
        texts.set(path.split('/').at(-1)!, await readFile(path, 'utf8'));
    });
    return texts;
  };
  const titleIn = (text: string | undefined): unknown =>
    (JSON.parse(text!) as { channel: ExportChannel }).channel.name;

  it('names the person nowhere', async () => {
    const mentioning = {
      content: `<@${bob.id}> and @Barty know: https://example.com/${bob.id}`,
      mentions: [bob],
      reactions: [
        { emoji: { id: null, name: '👍', animated: false }, count: 2, userIds: [ADA.id, bob.id] },
      ],
      interaction: { id: anId(), name: 'ask', userId: bob.id, username: 'bartholomew' },
    };
    const asked = await addThread({ title: `Where is <@${bob.id}>?` }, [mentioning]);
    await addThread({ ownerId: bob.id }, [{ author: bob }, {}]);
    const alone = await addThread({ ownerId: bob.id }, [{ author: bob }]);
    const lonely = aChannel({ serverId: forum.serverId, topic: `For <@${bob.id}>` });
    await stores.mongo.collections.channels.insertOne(lonely);
    const before = await exported();
    expect([...before.values()].filter((text) => traces.test(text))).to.have.length(4);

    await requestErasure(stores.mongo.collections, bob.id);
    const after = await exported();
    expect([...after.values()].filter((text) => traces.test(text))).to.deep.equal([]);
    expect([...after.keys()]).to.have.members(
      [...before.keys()].filter((name) => name !== `${alone}.json`),
    );
    const { messages } = JSON.parse(after.get(`${asked}.json`)!) as { messages: ExportMessage[] };
    expect(messages[0]!.content).to.equal('@deleted-user and @deleted-user know: [deleted]');
    expect(messages[0]!.reactions).to.deep.include({
      emoji: { id: '', name: '👍', isAnimated: false },
      count: 1,
      users: [{ id: ADA.id }],
    });
  });

  it('leaves out threads that somebody erased before had started, where nobody else wrote', async () => {
    await requestErasure(stores.mongo.collections, bob.id);
    const alone = await addThread({ ownerId: ERASED_ID, title: 'Their words' }, [REDACTED]);
    const answered = await addThread({ ownerId: ERASED_ID }, [{}]);
    const files = await exported();
    expect(files.has(`${alone}.json`)).to.equal(false);
    expect(files.has(`${answered}.json`)).to.equal(true);
  });

  it('tells that the author is erased of a thread that tells neither starter nor owner', async () => {
    const answered = await addThread({}, [{ author: bob }, {}]);
    const alone = await addThread({}, [{ author: bob }]);
    const asked = await addThread({}, [{}, { author: bob }]);
    await requestErasure(stores.mongo.collections, bob.id);
    const files = await exported();
    const ownerIn = (threadId: string): unknown =>
      (JSON.parse(files.get(`${threadId}.json`)!) as { channel: ExportChannel }).channel.ownerId;
    expect(files.has(`${alone}.json`)).to.equal(false);
    expect(ownerIn(answered)).to.equal(ERASED_ID);
    expect(ownerIn(asked)).to.equal(undefined);
  });

  it('takes their names out of the titles of threads that only hold a trace of them', async () => {
    const { collections } = stores.mongo;
    const title = 'Is BARTHOLOMEW, or Bart, at home?';
    const bart = { ...bob, displayName: 'Bart' };
    const written = await addThread({ title }, [{}, { author: bart }]);
    const command = { id: anId(), name: 'ask', userId: bob.id, username: 'bart' };
    const commanded = await addThread({ title }, [{}, { interaction: command }]);
    const owned = await addThread({ title, ownerId: bob.id }, [{}]);
    const other = await addThread({ title }, [{}]);
    await requestErasure(collections, bob.id);
    // A build has cleaned its records since the request.
    const version = await announceErasure(collections);
    const cleaned = await addThread({ title, cleanedFor: version }, [{}]);

    const texts = await exported();
    for (const id of [written, commanded])
      expect(titleIn(texts.get(`${id}.json`))).to.equal(
        'Is deleted-user, or deleted-user, at home?',
      );
    for (const id of [owned, cleaned])
      expect(titleIn(texts.get(`${id}.json`))).to.equal('Is deleted-user, or Bart, at home?');
    expect(titleIn(texts.get(`${other}.json`))).to.equal(title);
  });

  it('leaves them out from the moment at which their erasure is requested while it runs', async () => {
    const ids: string[] = [];
    while (ids.length < 100) ids.push(await addThread({}, [{}, { author: bob }]));
    const { collections } = stores.mongo;
    const threads = Object.create(collections.threads) as Collections['threads'];
    let pages = 0;
    threads.find = ((...asked: Parameters<Collections['threads']['find']>) => {
      const found = collections.threads.find(...asked);
      const read = found.toArray.bind(found);
      found.toArray = async () => {
        pages += 1;
        if (pages === 2) await requestErasure(collections, bob.id);
        return read();
      };
      return found;
    }) as Collections['threads']['find'];
    const texts = await exported({ collections: { ...collections, threads } });
    expect(traces.test(texts.get(`${ids[0]}.json`)!)).to.equal(true);
    expect(pages).to.be.above(2);
    expect(traces.test(texts.get(`${ids.at(-1)}.json`)!)).to.equal(false);
  });
});
