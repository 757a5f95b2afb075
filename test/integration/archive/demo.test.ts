import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { freePort } from '../../../services/local/ports.js';
import { openStores, type TestStores } from '../../support/stores.js';

const MAIN = fileURLToPath(new URL('../../demo/main.js', import.meta.url));

describe('npm run demo:live', () => {
  let stores: TestStores;
  before(async () => (stores = await openStores()));
  after(() => stores.close());

  const databases = async (): Promise<string[]> => {
    const { databases: found } = await stores.mongo.client.db('admin').admin().listDatabases();
    return found.map(({ name }) => name);
  };

  it('uses a database of its own, removes it, and leaves nothing in the one of MONGODB_URL', async () => {
    const env = { ...process.env, MONGODB_URL: stores.mongodbUrl, PORT: String(await freePort()) };
    const demo = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(demo, 'exit');
    let output = '';
    const whole = demo.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false });
    for await (const text of whole) {
      output += text as string;
      // A change was shown, so the demonstration tells at its end how long changes took.
      if (/\d ms /.test(output)) break;
    }
    const meanwhile = await databases();
    // From now on nobody reads its output, as behind `head`. It ends as after Ctrl-C.
    demo.stdout.destroy();
    expect(await exited).to.deep.equal([0, null]);
    const own = /\/(test_\w+)/.exec(output)?.[1];
    expect(own, output).to.not.be.oneOf([undefined, stores.mongo.namespace]);
    expect(meanwhile).to.include(own);
    expect(await databases()).to.not.include(own);
    for (const collection of await stores.mongo.db.collections()) {
      expect(await collection.countDocuments(), collection.collectionName).to.equal(0);
    }
  });
});
