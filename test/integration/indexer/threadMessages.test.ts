import { expect } from 'chai';
import { threadMessages } from '../../../services/indexer/build/threadMessages.js';
import { aMessage, anId } from '../../support/factories.js';
import { suiteStores } from '../../support/suiteStores.js';

describe('threadMessages', () => {
  const stores = suiteStores();

  it('gives each of several threads that are read at once all that it shows, in order', async () => {
    const { messages } = stores.mongo.collections;
    // The fourth batch begins within a reply that the first three nearly fill. It does not reach the last threads.
    const sizes = [0, 3, 990, 1_400, 2, 500];
    const threads = sizes.map((size) => {
      const threadId = anId();
      return { threadId, shown: Array.from({ length: size }, () => aMessage({ threadId })) };
    });
    const unshown = threads.flatMap(({ threadId }) => [
      aMessage({ threadId, counted: false }),
      aMessage({ threadId, deleted: true }),
    ]);
    await messages.insertMany([...threads.flatMap(({ shown }) => shown), ...unshown]);
    const found = await Promise.all(
      threads.map(async ({ threadId }) => {
        const ids: string[] = [];
        for await (const { _id } of threadMessages({ messages }, threadId)) ids.push(_id);
        return ids;
      }),
    );
    expect(found.map(({ length }) => length)).to.deep.equal(sizes);
    expect(found).to.deep.equal(threads.map(({ shown }) => shown.map(({ _id }) => _id)));
  });

  it('gives all of a few messages that are too large for one reply', async () => {
    const { messages } = stores.mongo.collections;
    const threadId = anId();
    const content = 'x'.repeat(1_000_000);
    const shown = Array.from({ length: 18 }, () => aMessage({ threadId, content }));
    await messages.insertMany(shown);
    const found: string[] = [];
    for await (const { _id } of threadMessages({ messages }, threadId)) found.push(_id);
    expect(found).to.deep.equal(shown.map(({ _id }) => _id));
  });
});
