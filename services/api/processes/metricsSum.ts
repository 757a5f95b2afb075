import type { Worker } from 'node:cluster';
import { AggregatorRegistry, Registry } from 'prom-client';
import type { FromProcess, Metrics, ToProcess } from './messages.js';

/** How long a process may take to tell its metrics (ms). After that, those that it told last are used. */
const TELL_MS = 500;
/** Types of metrics that only rise while a process runs. */
const RISING: readonly unknown[] = ['counter', 'histogram'];

/**
 * Makes a function that is called with each process of one API when it has started. When any of these processes asks
 * for the sum, it is sent the metrics of all of them, added up. When a process ends, what it has counted stays in the
 * sum.
 */
export function sumOfProcesses(): (worker: Worker) => void {
  const members = new Map<number, Member>();
  let ended = new Registry();
  let adding: Promise<string> | undefined;

  const add = async (): Promise<string> => {
    await Promise.all([...members.values()].map((member) => member.ask()));
    const told = [...members.values()].map((member) => member.told);
    return AggregatorRegistry.aggregate([ended.getMetricsAsArray(), ...told]).metrics();
  };
  return (worker) => {
    const member = new Member(worker);
    members.set(worker.id, member);
    worker.on('message', ({ kind }: FromProcess) => {
      if (kind !== 'want sum of metrics') return;
      adding ??= add().finally(() => (adding = undefined));
      void adding.then((text) => send(worker, { kind: 'sum of metrics', text }));
    });
    worker.once('exit', () => {
      members.delete(worker.id);
      // Rising metrics of a process that has ended are kept. A reader of the metrics takes a count that falls for a
      // restart, and would count the rest twice.
      const rising = member.told.filter(({ type }) => RISING.includes(type));
      ended = AggregatorRegistry.aggregate([ended.getMetricsAsArray(), rising]);
    });
  };
}

/** A running process, and the metrics that it told last. */
class Member {
  told: Metrics = [];
  readonly #worker: Worker;
  #answered = (): void => undefined;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('message', (message: FromProcess) => {
      if (message.kind !== 'metrics') return;
      this.told = message.metrics;
      this.#answered();
    });
  }

  /** Asks the process for its metrics. Resolves when it has told them, or after `TELL_MS`. */
  async ask(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, TELL_MS);
      this.#answered = () => {
        clearTimeout(timer);
        resolve();
      };
      send(this.#worker, { kind: 'tell metrics' });
    });
  }
}

/** Sends a message to a process, unless it has just ended. */
function send(worker: Worker, message: ToProcess): void {
  if (worker.isConnected()) worker.send(message, () => undefined);
}
