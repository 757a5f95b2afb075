import type { Worker } from 'node:cluster';
import { AggregatorRegistry, Registry } from 'prom-client';
import type { FromProcess, Metrics, ToProcess } from './messages.js';

/** How long a process may take to send its metrics (ms). After that, those that it sent last are used. */
const TELL_MS = 500;
/** Types of metrics that never fall while a process runs. */
const RISING: readonly unknown[] = ['counter', 'histogram'];

/**
 * Adds up the metrics of the processes of one API, in their parent process. Returns a function that must be called with
 * each process when it has started. When one of them asks for the sum, the parent asks all of them for their metrics,
 * adds these up, and sends the sum back. When a process ends, the counters and histograms that it sent last stay in the
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
      // Otherwise the sum would fall. Prometheus takes a counter that falls for one that was reset to 0, and would
      // count what is left a second time.
      const rising = member.told.filter(({ type }) => RISING.includes(type));
      ended = AggregatorRegistry.aggregate([ended.getMetricsAsArray(), rising]);
    });
  };
}

/** A running process, and the metrics that it sent last. */
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

  /** Asks the process for its metrics. Resolves when it has sent them, or after TELL_MS. */
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

/** Sends a message to a process. Does nothing where the process has ended. */
function send(worker: Worker, message: ToProcess): void {
  if (worker.isConnected()) worker.send(message, () => undefined);
}
