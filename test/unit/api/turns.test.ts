import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { Turns } from '../../../services/api/turns.js';
import { until } from '../../support/apiServer.js';
import { heldBytes } from '../../support/heldBytes.js';

/** Work that tells when it begins, and ends when it is told to. */
function work(begun: string[], name: string) {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const run = async (): Promise<string> => {
    begun.push(name);
    await ended;
    return name;
  };
  return { run, end };
}

const LONG = 60_000;

describe('Turns', () => {
  it('runs a limited amount of work at once, of each name and in all', async () => {
    const turns = new Turns({ waitMs: LONG });
    const begun: string[] = [];
    const jobs = ['a1', 'a2', 'b1', 'c1'].map((name) => ({ name, ...work(begun, name) }));
    const done = jobs.map(({ name, run }) => turns.take(name[0]!, 1, run));
    await setImmediate();
    expect(begun).to.deep.equal(['a1', 'b1']);
    jobs[0]!.end();
    expect(await done[0]).to.equal('a1');
    await setImmediate();
    expect(begun).to.have.length(3);
    for (const { end } of jobs) end();
    expect(await Promise.all(done)).to.deep.equal(['a1', 'a2', 'b1', 'c1']);
  });

  it('runs more work of a name at once where that is allowed', async () => {
    const turns = new Turns({ inAll: 3, waitMs: LONG });
    const begun: string[] = [];
    const jobs = [1, 2, 2, 2].map((atOnce, n) => ({ atOnce, ...work(begun, `a${n}`) }));
    const done = jobs.map(({ atOnce, run }) => turns.take('a', atOnce, run));
    await setImmediate();
    expect(begun).to.deep.equal(['a0', 'a1']);
    jobs[0]!.end();
    await done[0];
    await setImmediate();
    expect(begun).to.deep.equal(['a0', 'a1', 'a2']);
    for (const { end } of jobs) end();
    expect(await Promise.all(done)).to.deep.equal(['a0', 'a1', 'a2', 'a3']);
  });

  it('serves a late name before the many tasks that another has waiting', async () => {
    const turns = new Turns({ inAll: 1, waitMs: LONG });
    const begun: string[] = [];
    const greedy = Array.from({ length: 5 }, (_, n) => work(begun, `a${n}`));
    const done = greedy.map(({ run }) => turns.take('a', 1, run));
    const late = work(begun, 'b');
    done.push(turns.take('b', 1, late.run));
    for (const { end } of [...greedy, late]) end();
    await Promise.all(done);
    expect(begun.indexOf('b')).to.be.at.most(2);
    const inOrder = greedy.map((_, n) => `a${n}`);
    expect(begun.filter((name) => name !== 'b')).to.deep.equal(inOrder);
  });

  it('remembers nothing of a name without work', async () => {
    const turns = new Turns({ inAll: 1, waitMs: LONG });
    const before = heldBytes();
    for (let n = 0; n < 100_000; n += 1) {
      await turns.take(`name ${n}`, 1, () => Promise.resolve());
    }
    await until(() => heldBytes() - before < 2 ** 22);
  });

  it('frees a place when the work fails', async () => {
    const turns = new Turns({ inAll: 1, waitMs: LONG });
    const failure = await turns
      .take('a', 1, () => Promise.reject(new Error('broken')))
      .catch((error: unknown) => error);
    expect(failure).to.include({ message: 'broken' });
    expect(await turns.take('a', 1, () => Promise.resolve('next'))).to.equal('next');
  });

  it('refuses work that has waited too long, and never begins it', async () => {
    const turns = new Turns({ inAll: 1, waitMs: 5 });
    const begun: string[] = [];
    const first = work(begun, 'first');
    const second = work(begun, 'second');
    const done = turns.take('a', 1, first.run);
    const refusal = await turns.take('b', 1, second.run).catch((error: unknown) => error);
    expect(refusal).to.include({ code: 'UNAVAILABLE', status: 503 });
    expect(refusal).to.have.deep.property('headers', { 'Retry-After': '2' });
    first.end();
    await done;
    expect(await turns.take('c', 1, () => Promise.resolve('third'))).to.equal('third');
    expect(begun).to.deep.equal(['first']);
  });
});
