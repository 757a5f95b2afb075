import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { mock } from 'node:test';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { expect } from 'chai';
import { newKey } from '../../../../shared/mirror/fileNames.js';
import { createFolderFiles } from '../../../../shared/mirror/folderFiles.js';
import { until } from '../../../support/apiServer.js';
import { aFolder, storedKeys, type MirrorPlace } from '../../../support/mirrorRig.js';

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
      expect(await storedKeys(files)).to.deep.equal([key]);
      const outside = await files.has('../../secret', 1).catch((error: unknown) => error);
      expect(outside).to.be.instanceOf(TypeError);
    } finally {
      await place.close();
    }
  });

  it('gives out the content of a file, and leaves it open only while it is read', async () => {
    const place = await aFolder();
    try {
      const { files, put } = aMirror(place);
      const content = randomBytes(200_000);
      const key = await put(content);
      const isOpen = (): boolean =>
        readdirSync('/proc/self/fd').some((fd) => targetOf(fd)?.endsWith(key));
      expect(await buffer((await files.open(key, content.length))!)).to.deep.equal(content);
      await until(() => !isOpen());
      expect(await files.open(key, 5)).to.equal(null);
      expect(await files.open(newKey('icons/2'), 5)).to.equal(null);
      const unread = (await files.open(key, content.length))!;
      const half = (await files.open(key, content.length))!;
      await once(half, 'readable');
      expect(isOpen()).to.equal(true);
      unread.destroy();
      half.destroy();
      await until(() => !isOpen());
    } finally {
      await place.close();
    }
  });

  it('closes a file whose length cannot be read', async () => {
    const place = await aFolder();
    const { files, put } = aMirror(place);
    const key = await put(Buffer.from('x'));
    const other = await open(join(dirname(files.incoming), key));
    const handles = Object.getPrototypeOf(other) as Pick<FileHandle, 'stat'>;
    await other.close();
    const failing = mock.method(handles, 'stat', () => Promise.reject(new Error('Stale handle')));
    try {
      const asked: unknown = await files.open(key, 1).catch((error: unknown) => error);
      expect(String(asked)).to.contain('Stale handle');
      const opened = readdirSync('/proc/self/fd').map((fd) => targetOf(fd) ?? '');
      expect(opened.filter((path) => path.endsWith(key))).to.deep.equal([]);
    } finally {
      failing.mock.restore();
      await place.close();
    }
  });

  it('leaves the process able to work while its volume hangs, and works again when it answers', async () => {
    const place = await aFolder();
    const writers: number[] = [];
    try {
      const { files, put } = aMirror(place);
      const key = await put(Buffer.from('x'));
      // Opening a pipe takes until somebody writes to it.
      const hung = Array.from({ length: 8 }, () => newKey('icons/1'));
      const paths = hung.map((one) => join(dirname(files.incoming), one));
      for (const path of paths) {
        mkdirSync(dirname(path), { recursive: true });
        execFileSync('mkfifo', [path]);
      }
      try {
        const asked = await Promise.allSettled(hung.map((one) => files.open(one, 1)));
        for (const one of asked) {
          expect(one).to.have.property('status', 'rejected');
          expect(String((one as PromiseRejectedResult).reason)).to.contain(
            'does not answer in time',
          );
        }
        // Compression needs a thread.
        expect(await promisify(gzip)('x')).to.be.instanceOf(Buffer);
        // Nobody else waits.
        const refused = await files.open(key, 1).catch((error: unknown) => error);
        expect(String(refused)).to.contain('does not answer in time');
      } finally {
        for (const path of paths) writers.push(openSync(path, constants.O_RDWR));
      }
      await until(async () => {
        const copy = await files.open(key, 1).catch(() => null);
        copy?.destroy();
        return copy !== null;
      });
    } finally {
      for (const writer of writers) closeSync(writer);
      await place.close();
    }
  });
});

/** A mirror in a folder, and what puts a file there. */
function aMirror(place: MirrorPlace) {
  const files = createFolderFiles(place.env['MIRROR_FOLDER']!, 'forum-archive');
  mkdirSync(files.incoming, { recursive: true });
  const put = async (content: Buffer): Promise<string> => {
    const path = join(files.incoming, 'arrived');
    writeFileSync(path, content);
    const key = newKey('icons/1');
    await files.put(key, path, { bytes: content.length, type: 'image/png' });
    return key;
  };
  return { files, put };
}

/** The path of an open file; undefined where it is closed meanwhile. */
function targetOf(fd: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return undefined;
  }
}
