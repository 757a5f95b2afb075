import { expect } from 'chai';
import { mkdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { withCacheLock } from '../../../services/local/cacheLock.js';
import { rejectionOf, withTemporaryFolder } from '../../support/temporaryFolder.js';

const report = { line: () => undefined };
const context = () => ({ report, children: { stopped: new AbortController().signal } });

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
      await Promise.all(['a', 'b'].map((name) => withCacheLock(lock, context(), work(name))));
      expect(events[1]?.slice(0, 1)).to.equal(events[0]?.slice(0, 1));
      expect(events).to.have.length(4);
    }));

  it('takes over a lock that nobody has touched for a while', () =>
    withTemporaryFolder(async (folder) => {
      const lock = join(folder, 'lock');
      await mkdir(lock);
      const past = new Date(Date.now() - 60_000);
      await utimes(lock, past, past);
      expect(await withCacheLock(lock, context(), () => Promise.resolve('done'))).to.equal('done');
    }));

  it('lets one in at a time, too, where several find a lock that was left behind', () =>
    withTemporaryFolder(async (folder) => {
      const inside: number[] = [];
      const enterAll = async (lock: string): Promise<void> => {
        await mkdir(lock);
        await utimes(lock, new Date(0), new Date(0));
        let here = 0;
        const enter = async (): Promise<void> => {
          inside.push((here += 1));
          await setTimeout(20);
          here -= 1;
        };
        await Promise.all([1, 2, 3].map(() => withCacheLock(lock, context(), enter)));
      };
      // Two are let in at once only now and then, so this is tried with many locks.
      const locks = Array.from({ length: 40 }, (_, index) => join(folder, `lock${index}`));
      await Promise.all(locks.map(enterAll));
      expect(Math.max(...inside)).to.equal(1);
    }));

  it('waits no longer for another launcher when everything is to stop', () =>
    withTemporaryFolder(async (folder) => {
      const lock = join(folder, 'lock');
      await mkdir(lock);
      // The other launcher needs so long that its lock never looks left behind.
      const later = new Date(Date.now() + 3_600_000);
      await utimes(lock, later, later);
      const stop = new AbortController();
      const waiting = withCacheLock(
        lock,
        { report: { line: () => stop.abort() }, children: { stopped: stop.signal } },
        () => Promise.resolve('done'),
      );
      expect(await rejectionOf(waiting)).to.match(/aborted/);
      // The lock stays with its holder.
      expect((await stat(lock)).isDirectory()).to.equal(true);
    }));
});
