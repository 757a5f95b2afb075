import { setTimeout as pause } from 'node:timers/promises';
import { startArchive, type TestArchive } from '../../support/archive.js';
import { until } from '../../support/apiServer.js';

describe('an archive at rest', () => {
  let archive: TestArchive;

  before(async () => {
    archive = await startArchive();
  });
  after(() => archive.close());

  it('sends MongoDB nearly nothing once its imports are counted', async () => {
    await archive.cli('import', 'sample/help');
    const { db } = archive.api.stores.mongo;
    await db.command({ profile: 2 });
    const commands = () => db.collection('system.profile').countDocuments();
    await until(async () => {
      const before = await commands();
      await pause(5_000);
      // The second count is shown in the profile, too.
      return (await commands()) - before <= 15;
    });
    await db.command({ profile: 0 });
  });
});
