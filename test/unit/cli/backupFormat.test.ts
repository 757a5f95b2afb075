import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from 'mongodb';
import { KEPT, type KeptName } from '../../../services/cli/backup/backupFormat.js';
import { checkBackup } from '../../../services/cli/backup/checkBackup.js';
import { collectionsOf, type Collections } from '../../../shared/store/collections.js';
import { rejectionOf, withTemporaryFolder } from '../../support/temporaryFolder.js';

/** What a backup leaves out, and why. The compiler demands every collection that is not in KEPT. */
const LEFT_OUT: Record<Exclude<keyof Collections, KeptName>, string> = {
  bodies: 'built anew',
  threadItems: 'built anew',
  contributions: 'built anew',
  members: 'built anew',
  ranks: 'built anew',
  similar: 'built anew',
  refreshTokens: 'logins end',
  oauthStates: 'logins end',
};

describe('a backup', () => {
  it('holds every collection except for those named here', () => {
    const all = collectionsOf({ collection: (name: string) => name } as unknown as Db);
    expect([...KEPT, ...Object.keys(LEFT_OUT)]).to.have.members(Object.keys(all));
  });

  it('is refused with what to do, where it has another format', async () => {
    await withTemporaryFolder(async (folder) => {
      await writeFile(join(folder, 'manifest.json'), JSON.stringify({ format: 6, namespace: 'a' }));
      expect(await rejectionOf(checkBackup(folder))).to.match(
        /format is 6, and this version reads format \d+: restore it with the version that wrote it$/,
      );
    });
  });
});
