import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { watchBeats } from '../../../../services/api/redis/watchBeats.js';

describe('watchBeats', () => {
  /** Gives these answers to the looks of a watch, and resolves with the changes that it has told. */
  async function changesOf(answers: (boolean | undefined)[]): Promise<boolean[]> {
    const changes: boolean[] = [];
    const left = [...answers];
    const read = () =>
      left.length > 0 ? Promise.resolve(left.shift()) : new Promise<never>(() => undefined);
    const logger = pino({ level: 'silent' });
    const onChange = (isApart: boolean): void => void changes.push(isApart);
    const watch = watchBeats(read, { logger, onChange, everyMs: 1 });
    while (left.length > 0) await pause(1);
    await pause(0);
    watch.stop();
    return changes;
  }

  it('tells nothing where a single token is missing, since a Redis may be emptied', async () => {
    const once = [false, undefined, true, true, true];
    expect(await changesOf([...once, ...once])).to.deep.equal([]);
  });

  it('tells once that several tokens are missing, and once that they are there again', async () => {
    const apart = [true, false, undefined, false, false];
    expect(await changesOf([...apart, true, true, true])).to.deep.equal([true, false]);
  });

  it('tells where one of two indexers announces through another Redis', async () => {
    expect(await changesOf([true, false, true, false, true, false])).to.deep.equal([true]);
  });
});
