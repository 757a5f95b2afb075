import { expect } from 'chai';
import { describePlace } from '../../../services/cli/delete/describePlace.js';
import { findPerson } from '../../../services/cli/delete/findPerson.js';
import { threadTombstone } from '../../../services/indexer/records/tombstones.js';
import { REDACTED } from '../../../shared/store/redacted.js';
import { aMessage, anAuthor, anId, aThread } from '../../support/factories.js';
import { readsOfEach } from '../../support/readsOfEach.js';
import { suiteStores } from '../../support/suiteStores.js';

describe('findPerson', () => {
  const stores = suiteStores();

  it('counts what somebody wrote without reading it, as it may be millions of messages', async () => {
    const { messages } = stores.mongo.collections;
    const author = anAuthor('ada', { id: anId() });
    const said = Array.from({ length: 300 }, () => aMessage({ author }));
    await messages.insertMany([...said, { ...aMessage({ author }), ...REDACTED }]);
    const read = await readsOfEach(stores.mongo, messages, async () => {
      const person = await findPerson(stores.mongo.collections, author.id);
      expect(person.unknown).to.equal(undefined);
      expect((await person.describe())[0]).to.include(
        `${author.id} ${author.displayName} (ada): 300 messages`,
      );
    });
    expect(Math.max(...read)).to.equal(1);
  });

  it('counts the threads that somebody started without reading them', async () => {
    const { threads, messages } = stores.mongo.collections;
    const author = anAuthor('bot', { id: anId() });
    await messages.insertOne(aMessage({ author }));
    const started = Array.from({ length: 300 }, () => aThread({ ownerId: author.id }));
    await threads.insertMany([...started, threadTombstone(aThread({ ownerId: author.id }))]);
    const read = await readsOfEach(stores.mongo, threads, async () => {
      const person = await findPerson(stores.mongo.collections, author.id);
      expect((await person.describe())[0]).to.include('started 300 threads');
    });
    expect(Math.max(...read)).to.equal(0);
  });

  it('counts what is in a place without reading it', async () => {
    const { threads, messages } = stores.mongo.collections;
    const thread = aThread();
    await threads.insertOne(thread);
    const said = Array.from({ length: 300 }, () => aMessage({ threadId: thread._id }));
    const gone = { ...aMessage({ threadId: thread._id }), ...REDACTED };
    await messages.insertMany([...said, gone]);
    const read = await readsOfEach(stores.mongo, messages, async () => {
      const [line] = await describePlace(stores.mongo.collections, 'thread', thread._id);
      expect(line).to.include('1 thread').and.to.include('300 messages');
    });
    expect(Math.max(...read)).to.equal(0);
  });
});
