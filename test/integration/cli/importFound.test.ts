import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { importFound } from '../../../services/cli/import/importFound.js';
import type { Archive } from '../../../services/cli/openArchive.js';
import { walkFiles } from '../../../services/cli/walkFiles.js';
import { anExport } from '../../support/exportFiles.js';
import { suiteStores } from '../../support/suiteStores.js';
import { rejectionOf, withTemporaryFolder } from '../../support/temporaryFolder.js';

describe('importFound', () => {
  const stores = suiteStores();

  it('leaves no endless import behind when it is cut off', async () => {
    const producer = {
      tryStoring: () => Promise.resolve(),
      add: () => Promise.reject(new Error('Connection is closed')),
    } as unknown as Archive['producer'];
    const archive = { ...stores, producer, startIndexer: () => undefined } as unknown as Archive;
    await withTemporaryFolder(async (folder) => {
      await writeFile(join(folder, 'a.json'), JSON.stringify(anExport()));
      const error = await rejectionOf(
        importFound(archive, await walkFiles([folder]), { wait: false }),
      );
      expect(error).to.include('Connection is closed');
    });
    const { imports, importFiles } = stores.mongo.collections;
    // The files that were stored before are imported all the same.
    expect(await importFiles.countDocuments({ state: 'queued' })).to.equal(1);
    expect(await imports.countDocuments()).to.equal(0);
  });

  it('says that files wait for an indexer where nobody waits and the servers stop at the end', async () => {
    let started = 0;
    const producer = {
      tryStoring: () => Promise.resolve(),
      add: () => Promise.resolve('1'),
    } as unknown as Archive['producer'];
    const others = { ...stores, producer, startIndexer: () => (started += 1) };
    const summaryOf = (more: object, files: Awaited<ReturnType<typeof walkFiles>>) =>
      importFound({ ...others, ...more } as unknown as Archive, files, { wait: false });
    const own = { crashed: new Promise<never>(() => undefined) };
    await withTemporaryFolder(async (folder) => {
      await writeFile(join(folder, 'a.json'), JSON.stringify(anExport()));
      const files = await walkFiles([folder]);
      expect(await summaryOf(own, files)).to.include({ queued: 1, waitsForIndexer: true });
      expect(await summaryOf({}, files)).to.include({ queued: 1, waitsForIndexer: false });
      expect(await summaryOf(own, [])).to.include({ queued: 0, waitsForIndexer: false });
    });
    // It would be stopped at once.
    expect(started).to.equal(0);
  });
});
