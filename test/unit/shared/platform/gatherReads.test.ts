import { expect } from 'chai';
import { setImmediate as turn } from 'node:timers/promises';
import { gatherReads } from '../../../../shared/platform/gatherReads.js';

const WAIT_MS = 2_500;

/** A store whose calls end when they are told to. */
function aStore({
  most = 100,
  refuse = () => {},
  now = () => 0,
}: { most?: number; refuse?: () => void; now?: () => number } = {}) {
  const calls: { questions: number[]; end: () => void; fail: (error: Error) => void }[] = [];
  const ask = gatherReads<number, string>({
    call: (questions) =>
      new Promise((resolve, reject) => {
        const end = () => resolve(questions.map((question) => `answer ${question}`));
        calls.push({ questions, end, fail: reject });
      }),
    most,
    refuse,
    waitMs: WAIT_MS,
    now,
  });
  return { ask, calls, asked: () => calls.map(({ questions }) => questions) };
}

describe('gatherReads', () => {
  it('sends all questions of one turn together, and gives each its answer', async () => {
    const { ask, calls, asked } = aStore();
    const answers = Promise.all([ask(1), ask(2)]);
    await turn();
    expect(asked()).to.deep.equal([[1, 2]]);
    calls[0]!.end();
    expect(await answers).to.deep.equal(['answer 1', 'answer 2']);
  });

  it('has at most two calls under way, and sends everything that waits when one ends', async () => {
    const { ask, calls, asked } = aStore();
    const answers = [];
    for (let question = 0; question < 6; question += 1) {
      answers.push(ask(question));
      await turn();
    }
    expect(asked()).to.deep.equal([[0], [1]]);
    calls[1]!.end();
    await turn();
    expect(asked()).to.deep.equal([[0], [1], [2, 3, 4, 5]]);
    calls[0]!.end();
    calls[2]!.end();
    expect(await Promise.all(answers)).to.have.length(6);
  });

  it('sends at most so many questions in one call, first come, first served', async () => {
    const { ask, calls, asked } = aStore({ most: 2 });
    const answers = Promise.all([1, 2, 3, 4, 5].map(ask));
    await turn();
    expect(asked()).to.deep.equal([
      [1, 2],
      [3, 4],
    ]);
    calls[0]!.end();
    await turn();
    expect(asked()[2]).to.deep.equal([5]);
    calls[1]!.end();
    calls[2]!.end();
    expect(await answers).to.have.length(5);
  });

  it('fails only the questions of a failed call, and goes on with the others', async () => {
    const { ask, calls } = aStore({ most: 1 });
    const results = Promise.allSettled([ask(1), ask(2), ask(3)]);
    await turn();
    calls[0]!.fail(new Error('The store is away'));
    await turn();
    calls[1]!.end();
    calls[2]!.end();
    expect((await results).map(({ status }) => status)).to.deep.equal([
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
  });

  it('refuses at once while the store is away', async () => {
    const refuse = () => {
      throw new Error('It is away');
    };
    const { ask, asked } = aStore({ refuse });
    const refused = await ask(1).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(Error);
    await turn();
    expect(asked()).to.deep.equal([]);
  });

  it('fails a question that waited for as long as a call may take, without sending it', async () => {
    let time = 0;
    const { ask, calls, asked } = aStore({ most: 1, now: () => time });
    const first = [ask(1), ask(2)];
    await turn();
    const late = ask(3).catch((error: unknown) => error);
    time = WAIT_MS;
    const next = ask(4);
    calls[0]!.end();
    expect(await late).to.include({ name: 'TimeoutError' });
    await turn();
    calls[1]!.end();
    await turn();
    calls[2]!.end();
    expect(await Promise.all([...first, next])).to.have.length(3);
    expect(asked()).to.deep.equal([[1], [2], [4]]);
  });
});
