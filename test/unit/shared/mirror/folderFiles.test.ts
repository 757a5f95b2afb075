import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { newKey } from '../../../../shared/mirror/fileNames.js';
import { createFolderFiles } from '../../../../shared/mirror/folderFiles.js';
import { aFolder } from '../../../support/mirrorRig.js';

describe('createFolderFiles', () => {
  it('lists its own files, whatever else lies in the folder', async () => {
    const place = await aFolder();
    try {
      const files = createFolderFiles(place.env['MIRROR_FOLDER']!, 'forum-archive');
      mkdirSync(files.incoming, { recursive: true });
      const arrived = join(files.incoming, 'arrived');
      writeFileSync(arrived, 'x');
      const key = newKey('icons/1');
      await files.put(key, arrived, { bytes: 1, type: 'image/png' });
      writeFileSync(arrived, 'x');
      await files.setOwner('the id');
      writeFileSync(join(dirname(files.incoming), '.DS_Store'), 'x');
      const listed: string[] = [];
      for await (const file of files.list()) listed.push(file.key);
      expect(listed).to.deep.equal([key]);
      const outside = await files.has('../../secret', 1).catch((error: unknown) => error);
      expect(outside).to.be.instanceOf(TypeError);
    } finally {
      await place.close();
    }
  });
});
