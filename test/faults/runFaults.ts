import { setTimeout as pause } from 'node:timers/promises';
import { createArchiveClient, type ArchiveClient } from './archiveClient.js';
import { checkArchive } from './checkArchive.js';
import type { Fault } from './faultKinds.js';
import { createLedger } from './ledger.js';
import { planActions, type Action } from './planActions.js';
import { quiesce } from './quiesce.js';
import { createRandom } from './random.js';
import { startReaders } from './readers.js';
import type { Rig } from './rig.js';

/** What a run is to do. */
export interface RunOptions<Name extends string, R> {
  seed: number;
  /** How each kind of fault is caused. */
  faults: Record<Name, Fault<R>>;
  /** The faults of each lane. Lanes run side by side. Within a lane, one fault follows the other. */
  lanes: Iterable<{ name: Name; ms: number }>[];
  writers: number;
  /** How long a writer rests between two actions (ms). */
  restMs: number;
  /** The longest pause between two faults of a lane (ms). */
  betweenMs: number;
  /** How many actions and answers of each name are needed before the run ends, whether there are faults or not. */
  atLeast?: { actions: Record<string, number>; answers: Record<string, number> };
  say: (text: string) => void;
}

/** The result of a run. Without violations, all is well. */
export interface RunReport {
  violations: string[];
  faults: Record<string, number>;
  actions: Record<string, number>;
  answers: Record<string, number>;
}

const BETWEEN_MS = 300;
/** The longest violation that is printed (characters). It may hold the last words of a process. */
const LONGEST_LINE = 4_000;
/** After the last fault, every action has to be acknowledged within this time (ms). */
const PATIENCE_MS = 300_000;

/** What a run needs of an archive in which parts can fail. */
type Harmed = Pick<Rig, 'direct' | 'apis' | 'indexers'> & {
  servers: Pick<Rig['servers'], 'redis'>;
};

/** Lets writers and readers work on an archive while faults are caused. Then compares everything with the ledger. */
export async function runFaults<Name extends string, R extends Harmed>(
  rig: R,
  options: RunOptions<Name, R>,
): Promise<RunReport> {
  const { seed, say } = options;
  const violations: string[] = [];
  const violate = (text: string): void => {
    if (violations.includes(text)) return;
    violations.push(text);
    say(`VIOLATION ${text}`);
  };
  let giveUpAt = Infinity;
  const ledger = createLedger();
  const clientOf = (url: () => string): ArchiveClient =>
    createArchiveClient(url, () => giveUpAt, violate);
  // Each request goes to the next API. One API may show a change a moment later than another. So each has readers of
  // its own.
  let asked = 0;
  const client = clientOf(() => rig.apis[(asked += 1) % rig.apis.length]!.url);
  const answers: Record<string, number> = {};
  const readers = rig.apis.map(({ url, service }, n) => {
    const watch = { mayBeCut: () => service.isDisturbed(), violate };
    return startReaders(
      clientOf(() => url),
      ledger,
      createRandom(seed + 1 + 100 * n),
      watch,
      answers,
    );
  });
  const writing = startWriters(
    { client, giveUpAt: () => giveUpAt },
    planActions(ledger, createRandom(seed)),
    options,
    violate,
  );
  const faults: Record<string, number> = {};
  const provoke = async (lane: Iterable<{ name: Name; ms: number }>, n: number): Promise<void> => {
    const random = createRandom(seed + 2 + n);
    for (const { name, ms } of lane) {
      say(`${name} (${ms} ms)`);
      const happened = await options.faults[name]({
        rig,
        random,
        ms,
        onLoss: () => readers.forEach((each) => each.forgetUnacknowledged()),
      }).catch((error: unknown) => violate(`${name}: ${String(error)}`));
      const provoked = typeof happened === 'string' ? `${name}: ${happened}` : name;
      faults[provoked] = (faults[provoked] ?? 0) + 1;
      await pause(BETWEEN_MS + random.below(options.betweenMs));
    }
  };
  await Promise.all(options.lanes.map(provoke));
  say('No more faults');
  const { atLeast = { actions: {}, answers: {} } } = options;
  while (!isReached(writing.done, atLeast.actions) || !isReached(answers, atLeast.answers))
    await pause(BETWEEN_MS);
  giveUpAt = Date.now() + PATIENCE_MS;
  await writing.stop();
  await quiesce(rig).catch((error: unknown) => violate(String(error)));
  await Promise.all(readers.map((each) => each.stop()));
  const found = await checkArchive(client, ledger, rig.direct).catch((error: unknown) => [
    String(error),
  ]);
  const services = [...rig.indexers, ...rig.apis.map(({ service }) => service)];
  const errors = services.flatMap((service) => service.errors());
  for (const text of [...found, ...errors]) violate(text.slice(0, LONGEST_LINE));
  return {
    violations,
    faults,
    actions: writing.done,
    answers,
  };
}

function isReached(done: Record<string, number>, atLeast: Record<string, number>): boolean {
  return Object.entries(atLeast).every(([name, count]) => (done[name] ?? 0) >= count);
}

/**
 * Starts writers. Each takes one action after the other, waits until it may begin, and repeats it until it is
 * acknowledged.
 */
function startWriters(
  patient: Patient,
  actions: Iterator<Action>,
  { writers, restMs }: { writers: number; restMs: number },
  violate: (text: string) => void,
): { done: Record<string, number>; stop(): Promise<void> } {
  const done: Record<string, number> = {};
  let isStopping = false;
  const write = async (): Promise<void> => {
    while (!isStopping) {
      const action = actions.next().value as Action;
      await perform(patient, action).catch((error: unknown) => violate(String(error)));
      done[action.name] = (done[action.name] ?? 0) + 1;
      await pause(restMs);
    }
  };
  const loops = Array.from({ length: writers }, write);
  return {
    done,
    async stop() {
      isStopping = true;
      await Promise.all(loops);
    },
  };
}

/** A client, and when everybody who waits gives up (ms, as Date.now). */
interface Patient {
  client: ArchiveClient;
  giveUpAt: () => number;
}

async function perform({ client, giveUpAt }: Patient, action: Action): Promise<void> {
  while (!action.isDue()) {
    if (Date.now() > giveUpAt()) throw new Error(`${action.name} never came to be due`);
    await pause(50);
  }
  const { name, request, times } = action;
  const ends = await Promise.all(Array.from({ length: times }, () => client.perform(request)));
  action.acknowledge(performance.now());
  const wrong = ends.find((end) => end !== 'done');
  if (wrong && !action.mayBe(wrong))
    throw new Error(`${name} of ${request.path} ended as ${wrong}`);
}
