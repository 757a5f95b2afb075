import { expect } from 'chai';
import { createTasks } from '../../../../services/indexer/sync/tasks.js';
import {
  createThreadLanes,
  type LanePlace,
} from '../../../../services/indexer/gateway/threadLanes.js';
import { untilEqual } from '../../../support/apiServer.js';

interface Recording {
  threadId: string;
  events: number[];
  end: () => void;
}

/** Tasks that tell each failure to `fail`. */
function tasksOf(fail: (error: unknown) => void) {
  return createTasks({ signal: new AbortController().signal, fail });
}

/** Lanes whose recordings end when they are told to. */
function lanesOf(gate: (serverId: string) => Promise<void> | null = () => null) {
  const tasks = tasksOf((error) => {
    throw error;
  });
  const underWay: Recording[] = [];
  const lanes = createThreadLanes<number>({
    tasks,
    gate,
    record: ({ threadId }: LanePlace, events) =>
      new Promise((end) => underWay.push({ threadId, events: [...events], end })),
  });
  const told = (): string[] =>
    underWay.map(({ threadId, events }) => `${threadId}: ${events.join(' ')}`);
  return {
    tasks,
    underWay,
    add: (threadId: string, event: number, serverId = 'server') =>
      lanes.add({ threadId, serverId }, event),
    endFirst: () => underWay.shift()!.end(),
    /** Waits until exactly these recordings are under way. */
    begun: (...expected: string[]) => untilEqual(told, expected),
  };
}

const named = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, n) => `thread ${from + n}: ${from + n}`);

describe('createThreadLanes', () => {
  it("records events that come during a thread's recording together, in order, afterwards", async () => {
    const { add, begun, endFirst, tasks } = lanesOf();
    add('a', 1);
    await begun('a: 1');
    [2, 3].forEach((event) => add('a', event));
    endFirst();
    await begun('a: 2 3');
    add('a', 4);
    endFirst();
    await begun('a: 4');
    endFirst();
    await tasks.end();
    await begun();
  });

  it("records events that come before a thread's round begins together", async () => {
    const { add, begun, endFirst } = lanesOf();
    [1, 2, 3].forEach((event) => add('a', event));
    add('b', 4);
    await begun('a: 1 2 3', 'b: 4');
    endFirst();
    endFirst();
  });

  it('records at most a hundred events of a thread together', async () => {
    const { add, underWay, endFirst } = lanesOf();
    for (let event = 0; event <= 150; event += 1) add('a', event);
    await untilEqual(() => underWay[0]?.events.length, 100);
    endFirst();
    await untilEqual(() => underWay[0]?.events.length, 51);
    endFirst();
  });

  it('records fifty threads side by side, and the next when one has ended', async () => {
    const { add, begun, underWay, endFirst } = lanesOf();
    for (let n = 0; n < 52; n += 1) add(`thread ${n}`, n);
    await begun(...named(0, 50));
    endFirst();
    await begun(...named(1, 51));
    endFirst();
    await begun(...named(2, 52));
    while (underWay.length > 0) endFirst();
  });

  it('holds events of a server until it was looked at, but not those of others', async () => {
    let open: () => void = () => undefined;
    let pending: Promise<void> | null = new Promise((resolve) => (open = resolve));
    const { add, begun, endFirst } = lanesOf((serverId) => (serverId === 'x' ? pending : null));
    add('a', 1, 'x');
    add('b', 2, 'y');
    add('a', 3, 'x');
    await begun('b: 2');
    pending = null;
    open();
    await begun('b: 2', 'a: 1 3');
    endFirst();
    endFirst();
  });

  it('checks the gate again when the turn of a thread has come', async () => {
    let pending: Promise<void> | null = null;
    let open: () => void = () => undefined;
    const { add, begun, underWay, endFirst } = lanesOf((serverId) =>
      serverId === 'x' ? pending : null,
    );
    for (let n = 0; n < 50; n += 1) add(`thread ${n}`, n, 'y');
    add('late', 50, 'x');
    add('other', 51, 'y');
    await begun(...named(0, 50));
    pending = new Promise((resolve) => (open = resolve));
    endFirst();
    await begun(...named(1, 50), 'other: 51');
    pending = null;
    open();
    endFirst();
    await begun(...named(2, 50), 'other: 51', 'late: 50');
    while (underWay.length > 0) endFirst();
  });

  it('goes on with other threads when one cannot be recorded, and reports why', async () => {
    const failures: unknown[] = [];
    const tasks = tasksOf((error) => void failures.push(error));
    const recorded: number[] = [];
    const lanes = createThreadLanes<number>({
      tasks,
      gate: () => null,
      record: (_place, [event]) => {
        if (event === 1) return Promise.reject(new Error('It breaks'));
        recorded.push(event!);
        return Promise.resolve();
      },
    });
    lanes.add({ threadId: 'a', serverId: 'server' }, 1);
    lanes.add({ threadId: 'b', serverId: 'server' }, 2);
    await tasks.end();
    expect(failures.map((error) => (error as Error).message)).to.deep.equal(['It breaks']);
    expect(recorded).to.deep.equal([2]);
  });
});
