import { expect } from 'chai';
import { mkdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { withCacheLock } from '../../../services/local/cacheLock.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

const report = { line: () => undefined, progress: () => undefined };

describe('withCacheLock', () => {
  it('lets one in at a time', () =>
    withTemporaryFolder(async (folder) => {
      const lock = join(folder, 'lock');
      const events: string[] = [];
      const work = (name: string) => async (): Promise<void> => {
        events.push(`${name} begins`);
        await stat(lock);
        events.push(`${name} ends`);
      };
      await Promise.all(['a', 'b'].map((name) => withCacheLock(lock, report, work(name))));
      expect(events[1]?.slice(0, 1)).to.equal(events[0]?.slice(0, 1));
      expect(events).to.have.length(4);
    }));

  it('takes over a lock that nobody has touched for a while', () =>
    withTemporaryFolder(async (folder) => {
      const lock = join(folder, 'lock');
      await mkdir(lock);
      const past = new Date(Date.now() - 60_000);
      await utimes(lock, past, past);
      expect(await withCacheLock(lock, report, () => Promise.resolve('done'))).to.equal('done');
    }));
});
