import { expect } from 'chai';
import { isNamedAnywhere } from '../../../services/cli/delete/isNamedAnywhere.js';
import { aChannel, aMessage, anId, aServer, aThread } from '../../support/factories.js';
import { suiteStores } from '../../support/suiteStores.js';

describe('isNamedAnywhere', () => {
  const stores = suiteStores();
  const [nobody, mentioned, described, named, tagged] = [anId(), anId(), anId(), anId(), anId()];

  before(async () => {
    const { servers, channels, threads, messages } = stores.mongo.collections;
    await servers.insertMany([
      aServer({ description: null }),
      aServer({ description: `Ask <@${described}>` }),
    ]);
    const tag = { id: anId(), name: tagged, emoji: null, moderated: false };
    await channels.insertMany([
      aChannel({ topic: null }),
      aChannel({ name: `ticket-${named}` }),
      aChannel({ availableTags: [tag] }),
    ]);
    const thread = aThread();
    await threads.insertOne(thread);
    await messages.insertOne(aMessage({ threadId: thread._id, content: `See <@${mentioned}>` }));
  });

  it('finds a person who is only mentioned, even where topics and descriptions are missing', async () => {
    const { collections } = stores.mongo;
    expect(await isNamedAnywhere(collections, mentioned)).to.equal(true);
    expect(await isNamedAnywhere(collections, described)).to.equal(true);
    expect(await isNamedAnywhere(collections, named)).to.equal(true);
    expect(await isNamedAnywhere(collections, tagged)).to.equal(true);
    expect(await isNamedAnywhere(collections, nobody)).to.equal(false);
  });
});
