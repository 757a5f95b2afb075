import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from 'mongodb';
import { BACKUP_FORMAT, KEPT, type KeptName } from '../../../services/cli/backup/backupFormat.js';
import { checkBackup } from '../../../services/cli/backup/checkBackup.js';
import { version } from '../../../services/cli/version.js';
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

  for (const [format, written, by] of [
    [6, {}, 'written by an earlier version than this'],
    [
      6,
      { createdAt: '2026-11-20T10:00:00.000Z', version: '0.9.0' },
      'written on 2026-11-20T10:00:00.000Z by version 0.9.0',
    ],
    [1_000, {}, 'written by a later version than this'],
    [1_000, { version: '9.0.0\u001b' }, 'written by version 9.0.0\\u{001b}'],
  ] as const)
    it(`of format ${format} is refused with what to do, ${by}`, () =>
      withTemporaryFolder(async (folder) => {
        await writeFile(join(folder, 'manifest.json'), JSON.stringify({ format, ...written }));
        const todo =
          format === 6 ? 'and then update the restored archive' : 'or update this one first';
        expect(await rejectionOf(checkBackup(folder))).to.equal(
          `${folder} is a backup of format ${format}, ${by}. This is version ${version()}, which reads format ${BACKUP_FORMAT}. Restore it with the version that wrote it, ${todo}`,
        );
      }));

  it('is refused where its manifest is damaged', () =>
    withTemporaryFolder(async (folder) => {
      await writeFile(join(folder, 'manifest.json'), '{"format":');
      expect(await rejectionOf(checkBackup(folder))).to.match(/manifest\.json is damaged: /);
    }));
});
