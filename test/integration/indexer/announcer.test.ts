import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { createAnnouncer } from '../../../services/indexer/stores/announcer.js';
import { announcementChannel, type Announcement } from '../../../shared/jobs/announcements.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { until } from '../../support/apiServer.js';
import { openStores, type TestStores } from '../../support/stores.js';

describe('announcer', () => {
  let stores: TestStores;
  let listener: Redis;
  const heard: Announcement[] = [];

  before(async () => {
    stores = await openStores();
    listener = stores.redis.duplicate();
    await listener.connect();
    await listener.subscribe(announcementChannel(stores.mongo.namespace));
    listener.on('message', (_channel, message) => heard.push(JSON.parse(message) as Announcement));
  });
  after(async () => {
    listener.disconnect();
    await stores.close();
  });

  it('says that everything may have changed once Redis is back, when an announcement was lost', async () => {
    const connection = stores.redis.duplicate();
    connection.on('error', () => undefined);
    const announcer = createAnnouncer(
      connection,
      stores.mongo.namespace,
      createLogger('test', 'silent'),
    );
    // The connection is not there yet, and does not wait: this one is lost.
    announcer.announce({ users: ['1'] });
    await until(() => heard.some(({ everything }) => everything === true));
    announcer.announce({ users: ['2'] });
    await until(() => heard.some(({ users }) => users.includes('2')));
    expect(heard.find(({ users }) => users.includes('2'))?.everything).to.equal(undefined);
    connection.disconnect();
  });
});
