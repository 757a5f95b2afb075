import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { expect } from 'chai';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

const dockerfile = readFileSync('Dockerfile', 'utf8');
const lastStage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
const sent = readFileSync('.dockerignore', 'utf8').split('\n');

/** What the last stage copies from the project: the sources, and the place they go to. */
function copies(): { sources: string[]; target: string }[] {
  const lines = lastStage.matchAll(/^COPY (?!--from)(.+) (\S+)$/gm);
  return [...lines].map(([, all = '', target = '']) => ({ sources: all.split(' '), target }));
}

describe('the image', () => {
  it('has everything that the command line needs, and runs it by name', () =>
    withTemporaryFolder(async (app) => {
      for (const { sources, target } of copies()) {
        for (const source of sources) {
          expect(sent, 'sent to the build').to.include(`!${source}`);
          const place = target.endsWith('/')
            ? join(app, target, basename(source))
            : join(app, target);
          await mkdir(dirname(place), { recursive: true });
          await cp(source, place, { recursive: true });
        }
      }
      for (const folder of ['services', 'shared']) {
        await cp(join('dist', folder), join(app, 'dist', folder), { recursive: true });
      }
      await symlink(resolve('node_modules'), join(app, 'node_modules'));
      const [, command = '', name = ''] =
        /^RUN ln -s \/app\/(\S+) \/usr\/local\/bin\/(\S+)$/m.exec(lastStage) ?? [];
      await mkdir(join(app, 'path'));
      await symlink(join(app, command), join(app, 'path', name));
      const env = { PATH: [join(app, 'path'), dirname(process.execPath), '/bin'].join(delimiter) };
      const { stdout, stderr, status } = spawnSync('forum-archive', ['--help'], { env });
      expect(status, String(stderr)).to.equal(0);
      expect(String(stdout)).to.include('Usage: forum-archive');
    }));
});
