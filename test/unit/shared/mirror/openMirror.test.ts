import { expect } from 'chai';
import { openMirror, openWritableMirror } from '../../../../shared/mirror/openMirror.js';
import { readSettings } from '../../../../shared/platform/env.js';
import { SettingsError } from '../../../../shared/platform/settingsError.js';

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
});
