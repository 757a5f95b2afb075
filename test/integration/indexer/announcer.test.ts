import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { createAnnouncer } from '../../../services/indexer/stores/announcer.js';
import { announcementChannel, type Announcement } from '../../../shared/jobs/announcements.js';
import { createRedis } from '../../../shared/platform/clients.js';
import { readSettings } from '../../../shared/platform/env.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { startProxy, urlThrough } from '../../support/apiProxy.js';
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

  it('announces that everything may have changed once Redis is back, when an announcement was lost', async () => {
    const connection = stores.redis.duplicate();
    connection.on('error', () => undefined);
    const announcer = createAnnouncer(
      connection,
      stores.mongo.namespace,
      createLogger('test', 'silent'),
    );
    // The connection is not ready yet, and does not wait, so this announcement is lost.
    announcer.announce({ users: ['1'] });
    await until(() => heard.some(({ everything }) => everything === true));
    // This may be heard before the announcer learns that it was sent. Until then it says the same again.
    await until(() => {
      announcer.announce({ users: ['2'] });
      return heard.some(({ users, everything }) => users.includes('2') && !everything);
    });
    connection.disconnect();
  });

  it('announces everything where one announcement was lost and the one behind it was sent', async () => {
    const sent: Announcement[] = [];
    const answers: ((error?: Error) => void)[] = [];
    const redis = {
      on: () => undefined,
      publish(_channel: string, message: string) {
        sent.push(JSON.parse(message) as Announcement);
        return new Promise<void>((resolve, reject) => {
          answers.push((error) => (error ? reject(error) : resolve()));
        });
      },
    } as unknown as Redis;
    const announcer = createAnnouncer(redis, 'a', createLogger('test', 'silent'));
    const announce = async (user: string) => {
      announcer.announce({ users: [user] });
      await until(() => sent.at(-1)?.users.includes(user) === true);
    };
    await announce('1');
    await announce('2');
    answers[0]!(new Error('BUSY Redis is busy running a script'));
    answers[1]!();
    await turn();
    await announce('3');
    expect(sent.map(({ everything = false }) => everything)).to.deep.equal([false, false, true]);
    // The one that says so does not make up for another that is lost behind it.
    await announce('4');
    answers[3]!(new Error('BUSY Redis is busy running a script'));
    answers[2]!();
    await turn();
    await announce('5');
    answers[4]!();
    await turn();
    await announce('6');
    expect(sent.slice(4).map(({ everything = false }) => everything)).to.deep.equal([true, false]);
  });

  it('sends all announcements of one turn of the event loop together, each server once', async () => {
    const { namespace } = stores.mongo;
    const announcer = createAnnouncer(stores.redis, namespace, createLogger('test', 'silent'));
    const thread = { threadId: '11', serverId: '12', channelId: '13' };
    announcer.announce({ threads: [thread], servers: ['12'] });
    announcer.announce({ threads: [{ ...thread, threadId: '14' }] });
    announcer.announce({ servers: ['12'], users: ['15'], similar: ['11'] });
    await until(() => heard.some(({ users }) => users.includes('15')));
    expect(heard.filter(({ threads }) => threads.length > 0)).to.deep.equal([
      {
        threads: [thread, { ...thread, threadId: '14' }],
        servers: ['12'],
        users: ['15'],
        similar: ['11'],
      },
    ]);
    heard.length = 0;
    announcer.announce({ everything: true });
    await until(() => heard.some(({ everything }) => everything === true));
  });

  it('gives up a connection that is silently dead, and reports the loss on the next one', async () => {
    const { hostname: host, port } = new URL(readSettings().REDIS_URL);
    const proxy = await startProxy({ host, port: Number(port || 6_379) });
    const connection = createRedis(urlThrough(readSettings().REDIS_URL, proxy), { timeoutMs: 300 });
    connection.on('error', () => undefined);
    // On a busy machine, connecting and announcing may exceed the limit. Then both are tried again.
    await connection.connect().catch(() => undefined);
    const { namespace } = stores.mongo;
    const announcer = createAnnouncer(connection, namespace, createLogger('test', 'silent'));
    const untilHeard = (user: string) =>
      until(() => {
        announcer.announce({ users: [user] });
        return heard.some(({ users }) => users.includes(user));
      });
    await untilHeard('3');
    heard.length = 0;
    proxy.strand();
    announcer.announce({ users: ['4'] });
    await until(() => heard.some(({ everything }) => everything === true));
    await untilHeard('5');
    connection.disconnect();
    await proxy.close();
  });
});
