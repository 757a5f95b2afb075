import { expect } from 'chai';
import { createTasks } from '../../../../services/indexer/gateway/tasks.js';
import {
  createThreadLanes,
  type LanePlace,
} from '../../../../services/indexer/gateway/threadLanes.js';

/** Lanes whose recordings end when they are told to. */
function lanesOf(gate: (serverId: string) => Promise<void> | null = () => null) {
  const tasks = createTasks(new AbortController().signal);
  const underWay: { threadId: string; events: number[]; end: () => void }[] = [];
  const lanes = createThreadLanes<number>({
    ...{ tasks, gate },
    record: ({ threadId }: LanePlace, events) =>
      new Promise((end) => underWay.push({ threadId, events: [...events], end })),
  });
  return {
    tasks,
    underWay,
    add: (threadId: string, event: number, serverId = 'server') =>
      lanes.add({ threadId, serverId }, event),
    /** Ends the recording that began first, and waits until what follows from it has begun. */
    endFirst: async () => {
      underWay.shift()!.end();
      await settle();
    },
  };
}

/** Lets all promises that are resolved go on. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('createThreadLanes', () => {
  it('records what comes for a thread while it is being recorded together, in order, afterwards', async () => {
    const { add, underWay, endFirst, tasks } = lanesOf();
    [1, 2, 3].forEach((event) => add('a', event));
    expect(underWay.map(({ events }) => events)).to.deep.equal([[1]]);
    await endFirst();
    expect(underWay.map(({ events }) => events)).to.deep.equal([[2, 3]]);
    add('a', 4);
    await endFirst();
    expect(underWay.map(({ events }) => events)).to.deep.equal([[4]]);
    await endFirst();
    await tasks.end();
    expect(underWay).to.be.empty;
  });

  it('records at most a hundred events of a thread together', async () => {
    const { add, underWay, endFirst } = lanesOf();
    for (let event = 0; event <= 150; event += 1) add('a', event);
    await endFirst();
    expect(underWay[0]!.events).to.have.length(100);
    await endFirst();
    expect(underWay[0]!.events).to.have.length(50);
    await endFirst();
  });

  it('records sixteen threads side by side, and the next when one has ended', async () => {
    const { add, underWay, endFirst } = lanesOf();
    for (let n = 0; n < 18; n += 1) add(`thread ${n}`, n);
    expect(underWay).to.have.length(16);
    await endFirst();
    expect(underWay.at(-1)).to.deep.include({ threadId: 'thread 16', events: [16] });
    await endFirst();
    expect(underWay).to.have.length(16);
    while (underWay.length > 0) await endFirst();
  });

  it('keeps events of a server back until it was looked at, and those of others not', async () => {
    let open: () => void = () => undefined;
    let pending: Promise<void> | null = new Promise((resolve) => (open = resolve));
    const { add, underWay, endFirst } = lanesOf((serverId) => (serverId === 'x' ? pending : null));
    add('a', 1, 'x');
    add('b', 2, 'y');
    add('a', 3, 'x');
    await settle();
    expect(underWay.map(({ threadId }) => threadId)).to.deep.equal(['b']);
    pending = null;
    open();
    await settle();
    expect(underWay.map(({ events }) => events)).to.deep.equal([[2], [1, 3]]);
    await endFirst();
    await endFirst();
  });

  it('looks at the gate again when the turn of a thread has come', async () => {
    let pending: Promise<void> | null = null;
    let open: () => void = () => undefined;
    const { add, underWay, endFirst } = lanesOf((serverId) => (serverId === 'x' ? pending : null));
    for (let n = 0; n < 16; n += 1) add(`thread ${n}`, n, 'y');
    add('late', 16, 'x');
    pending = new Promise((resolve) => (open = resolve));
    await endFirst();
    expect(underWay.map(({ threadId }) => threadId)).not.to.include('late');
    pending = null;
    open();
    await settle();
    expect(underWay.map(({ threadId }) => threadId)).to.include('late');
    while (underWay.length > 0) await endFirst();
  });

  it('goes on with other threads when one cannot be recorded, and tells why', async () => {
    const tasks = createTasks(new AbortController().signal);
    const recorded: number[] = [];
    const lanes = createThreadLanes<number>({
      ...{ tasks, gate: () => null },
      record: (_place, [event]) => {
        if (event === 1) return Promise.reject(new Error('It breaks'));
        recorded.push(event!);
        return Promise.resolve();
      },
    });
    lanes.add({ threadId: 'a', serverId: 'server' }, 1);
    lanes.add({ threadId: 'b', serverId: 'server' }, 2);
    const error: unknown = await tasks.failed.catch((thrown: unknown) => thrown);
    expect(error).to.have.property('message', 'It breaks');
    expect(recorded).to.deep.equal([2]);
  });
});
