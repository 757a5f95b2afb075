import { expect } from 'chai';
import { findPerson } from '../../../services/cli/delete/findPerson.js';
import { REDACTED } from '../../../shared/store/redacted.js';
import { aMessage, anAuthor, anId } from '../../support/factories.js';
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
});
