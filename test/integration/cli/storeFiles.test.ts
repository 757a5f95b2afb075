import { rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { storeFiles } from '../../../services/cli/import/storeFiles.js';
import { walkFiles } from '../../../services/cli/walkFiles.js';
import type { Archive } from '../../../services/cli/openArchive.js';
import { anExport, anExportMessage } from '../../support/exportFiles.js';
import { suiteStores } from '../../support/suiteStores.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

describe('storeFiles', () => {
  const stores = suiteStores();

  it('takes the other files where one disappears between the check and the storing', () =>
    withTemporaryFolder(async (folder) => {
      const going = join(folder, 'going.json');
      const messages = Array.from({ length: 100 }, () =>
        anExportMessage({ content: 'x'.repeat(4_000) }),
      );
      await writeFile(going, JSON.stringify(anExport({ messages })));
      const staying = join(folder, 'staying.json');
      await writeFile(staying, JSON.stringify(anExport()));
      const producer = { add: () => Promise.resolve({}) } as unknown as Archive['producer'];
      // The larger file is removed while it is read for the check. It is open by then, so the check reads it to its
      // end.
      const progress = {
        advance: (bytes: number) => {
          if (bytes > 100_000) rmSync(going, { force: true });
        },
      };
      const files = await walkFiles([folder]);
      const result = await storeFiles({ mongo: stores.mongo, producer }, '1', files, progress);
      expect([...result.stored.values()]).to.deep.equal([staying]);
      expect(result).to.deep.include({ ignored: 0, skipped: [], refused: [] });
      expect(result.rejected).to.deep.equal([
        { file: going, reason: 'It cannot be read: there is no such file or folder' },
      ]);
      const { importFiles, pieces } = stores.mongo.collections;
      expect(await importFiles.distinct('name')).to.deep.equal([staying]);
      expect(await pieces.countDocuments()).to.equal(1);
    }));
});
