import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ArchiveStatus } from '../../../services/cli/status/archiveStatus.js';
import { anExport } from '../../support/exportFiles.js';
import { aThread } from '../../support/factories.js';
import { runOnHost } from '../../support/runOnHost.js';
import { suiteStores } from '../../support/suiteStores.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';
import { withFullRedis } from '../../support/withFullRedis.js';

describe('the command line while the memory of Redis is full', () => {
  const stores = suiteStores('kept', { otherProcesses: true });

  it('says so, and records no work', () =>
    withTemporaryFolder((folder) =>
      withFullRedis(async (REDIS_URL) => {
        const { threads, deletions, erasures, importFiles } = stores.mongo.collections;
        const env = { MONGODB_URL: stores.mongodbUrl, REDIS_URL };
        const thread = aThread();
        await threads.insertOne(thread);
        await writeFile(join(folder, 'a.json'), JSON.stringify(anExport()));
        for (const args of [
          ['delete', 'thread', thread._id, '--no-wait'],
          ['erase-user', '777777777777777701', '--even-if-unknown', '--no-wait'],
          ['import', folder, '--no-wait'],
        ]) {
          const { code, stderr } = await runOnHost(env, args);
          expect(code, args[0]).to.equal(1);
          expect(stderr).to.match(/^Error: Redis cannot be used: its memory is full, /m);
        }
        for (const held of [deletions, erasures, importFiles].map((all) => all.countDocuments()))
          expect(await held).to.equal(0);
        const { code, stdout } = await runOnHost(env, ['status', '--json']);
        expect(code).to.equal(1);
        expect((JSON.parse(stdout) as ArchiveStatus).stores.redis).to.match(
          /^its memory is full, /,
        );
      }),
    ));
});
