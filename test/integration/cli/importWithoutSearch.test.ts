import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { until } from '../../support/apiServer.js';
import { anExport } from '../../support/exportFiles.js';
import { runOnHost } from '../../support/runOnHost.js';
import { removeSearchAndKeys } from '../../support/stores.js';
import { suiteStores } from '../../support/suiteStores.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

describe('an import where there is no search index', () => {
  const stores = suiteStores('kept', { otherProcesses: true });
  before(() => removeSearchAndKeys(stores));

  const importFile = async (content: object) =>
    withTemporaryFolder(async (folder) => {
      await writeFile(join(folder, 'a.json'), JSON.stringify(content));
      return runOnHost({ MONGODB_URL: stores.mongodbUrl }, ['import', folder]);
    });

  it('reports the outcome where no file was stored', async () => {
    const talk = anExport({ channel: { type: 'GuildTextChat' } });
    const { code, stdout, stderr } = await importFile(talk);
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(/^Imported 0 files.*\nSkipped: 1 file\n/);
    expect(stderr).to.match(/^Archive: .*\n$/);
    expect(await stores.mongo.collections.audit.findOne()).to.include({ outcome: 'done' });
  });

  it('reports the outcome where files were stored, and that search may not show them', async () => {
    const running = importFile(anExport());
    const { importFiles } = stores.mongo.collections;
    await until(async () => (await importFiles.countDocuments({ state: 'queued' })) === 1);
    const done = { state: 'imported', threadId: '1', messages: 7 } as const;
    await importFiles.updateOne({}, { $set: done });
    const { code, stdout, stderr } = await running;
    expect(code, stderr).to.equal(0);
    expect(stdout).to.include('Imported 1 file: 1 thread, 7 messages');
    expect(stderr).to.match(/^Search may not show all of it yet: index_not_found_exception/m);
  });
});
