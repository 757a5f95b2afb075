import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openMirror, openWritableMirror } from '../../../../shared/mirror/openMirror.js';
import { readSettings } from '../../../../shared/platform/env.js';
import { SettingsError } from '../../../../shared/platform/settingsError.js';
import { rejectionOf, withTemporaryFolder } from '../../../support/temporaryFolder.js';

const BUCKET = {
  MIRROR_S3_BUCKET: 'archive-mirror',
  MIRROR_S3_REGION: 'us-east-1',
  MIRROR_S3_ACCESS_KEY: 'planted-key',
  MIRROR_S3_SECRET_KEY: 'planted-secret',
};
const PLACES = [
  ['MIRROR_FOLDER', '/dev/null/mirror'],
  ['MIRROR_FOLDER', '/proc/mirror'],
  ['TMPDIR', '/dev/null/temporary'],
] as const;

describe('openWritableMirror', () => {
  const usual = process.env['TMPDIR'];
  afterEach(() => {
    if (usual === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = usual;
  });

  for (const [name, folder] of PLACES) {
    it(`refuses a ${name} in which no file can arrive, such as ${folder}; openMirror does not need it`, async () => {
      if (name === 'TMPDIR') process.env[name] = folder;
      const settings = readSettings(name === 'TMPDIR' ? BUCKET : { [name]: folder });
      expect(await openMirror(settings, 'archive')).to.have.property('incoming');
      const refused: unknown = await openWritableMirror(settings, 'archive').catch(
        (error: unknown) => error,
      );
      expect(refused).to.be.instanceOf(SettingsError);
      expect((refused as Error).message).to.match(
        new RegExp(`^Wrong setting: ${name} cannot be used: (?:ENOTDIR|ENOENT)`),
      );
    });
  }

  it('makes a folder that is not there yet, and those above it', () =>
    withTemporaryFolder(async (folder) => {
      const settings = readSettings({ MIRROR_FOLDER: join(folder, 'not', 'yet', 'there') });
      expect(await openWritableMirror(settings, 'archive')).to.have.property('incoming');
    }));

  it('refuses a folder for downloads that somebody else could change, and leaves the files behind it alone', () =>
    withTemporaryFolder(async (folder) => {
      process.env['TMPDIR'] = folder;
      const settings = readSettings(BUCKET);
      const own = join(folder, `forum-archive-mirror-${process.getuid!()}`);
      const other = join(folder, 'other');
      const refusalOf = () => rejectionOf(openWritableMirror(settings, 'archive'));
      const expected = `Wrong setting: TMPDIR cannot be used: ${own} is not a folder that only this user can write to`;
      mkdirSync(other);
      symlinkSync(other, own);
      expect(await refusalOf()).to.equal(expected);
      expect(readdirSync(other)).to.deep.equal([]);
      rmSync(own);
      mkdirSync(own);
      chmodSync(own, 0o777);
      expect(await refusalOf()).to.equal(expected);
      chmodSync(own, 0o700);
      expect(await openWritableMirror(settings, 'archive')).to.have.property('incoming');
      expect(readdirSync(own)).to.deep.equal(['archive']);
    }));
});
