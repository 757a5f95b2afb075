import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { until } from '../../support/apiServer.js';
import { aChannel, aMessage, aServer, aThread } from '../../support/factories.js';
import { CLI, runCli } from '../../support/runCli.js';
import { emptyMongo } from '../../support/stores.js';
import { suiteStores } from '../../support/suiteStores.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** So much is not written before a signal arrives. */
const THREADS = 1_000;
const MESSAGES_OF_EACH = 8;
const LONG_BYTES = 3_000;

describe('a command that is asked to end', () => {
  const stores = suiteStores('kept', { otherProcesses: true });

  before(async () => {
    const { servers, channels, threads, messages } = stores.mongo.collections;
    const server = aServer();
    const channel = aChannel({ serverId: server._id });
    const place = { serverId: server._id, channelId: channel._id };
    await servers.insertOne(server);
    await channels.insertOne(channel);
    const added = Array.from({ length: THREADS }, () => aThread(place));
    await threads.insertMany(added);
    const content = (): string => randomBytes(LONG_BYTES).toString('base64');
    const said = added.flatMap(({ _id: threadId }) =>
      Array.from({ length: MESSAGES_OF_EACH }, () => aMessage({ threadId, content: content() })),
    );
    await messages.insertMany(said);
  });

  /**
   * Runs a command, and sends it a signal as soon as `isUnderWay` holds. Resolves with the signal that has ended it, and
   * with what it printed to standard error.
   */
  const endAmid = async (
    args: string[],
    signal: NodeJS.Signals,
    isUnderWay: () => Promise<boolean>,
  ): Promise<{ by: NodeJS.Signals | null; said: string }> => {
    const env = { ...process.env, MONGODB_URL: stores.mongodbUrl };
    const stdio = ['ignore', 'ignore', 'pipe'] as const;
    const child = spawn(process.execPath, [CLI, ...args], { env, stdio: [...stdio] });
    const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    const said = text(child.stderr);
    await until(isUnderWay);
    child.kill(signal);
    return { by: (await closed)[1], said: await said };
  };

  const namesIn = async (folder: string): Promise<string[]> =>
    (await readdir(folder, { recursive: true }).catch(() => [])).map((path) => basename(path));

  for (const signal of SIGNALS) {
    it(`removes the backup that it has begun, and the folder can be used again: ${signal}`, () =>
      withTemporaryFolder(async (folder) => {
        const isUnderWay = async (): Promise<boolean> =>
          (await namesIn(folder)).includes('messages.bson.gz');
        const { by, said } = await endAmid(['backup', folder], signal, isUnderWay);
        expect(by, said).to.equal(signal);
        expect(await readdir(folder)).to.deep.equal([]);
      }));

    it(`leaves only whole files of an export: ${signal}`, () =>
      withTemporaryFolder(async (folder) => {
        const isPartial = (name: string): boolean => name.endsWith('.partial');
        const isUnderWay = async (): Promise<boolean> => (await namesIn(folder)).some(isPartial);
        const { by, said } = await endAmid(['export', folder], signal, isUnderWay);
        expect(by, said).to.equal(signal);
        expect((await namesIn(folder)).filter(isPartial)).to.deep.equal([]);
      }));
  }

  it('says what to do where a restore was cut off', () =>
    withTemporaryFolder(async (folder) => {
      const { mongo, mongodbUrl } = stores;
      const backup = join(folder, 'backup');
      const made = await runCli({ MONGODB_URL: mongodbUrl }, ['backup', backup]);
      expect(made.code, made.stderr).to.equal(0);
      await emptyMongo(mongo);
      const isUnderWay = async (): Promise<boolean> =>
        (await mongo.collections.messages.findOne({})) !== null;
      const { by, said } = await endAmid(['restore', backup], 'SIGINT', isUnderWay);
      expect(by, said).to.equal('SIGINT');
      expect(said).to.match(/The restore is cut off: drop the database, and begin again\n$/);
    }));
});
