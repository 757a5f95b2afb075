import type {
  Metric,
  MetricObjectWithValues,
  MetricType,
  MetricValueWithName,
  Registry,
} from 'prom-client';
import { DURATION_BUCKETS } from '../../../shared/platform/metrics.js';

export interface RequestDurationsOptions {
  name: string;
  help: string;
  registry: Registry;
}

/** The durations of requests with one operation and status. */
interface Durations {
  /** How many requests fell into each bucket of DURATION_BUCKETS. The last number is that of longer requests. */
  counts: number[];
  /** All durations added up (seconds). */
  sum: number;
}

/** The library does not export its enum of metric types. */
const HISTOGRAM = 'histogram' as unknown as MetricType;

/**
 * A histogram of durations with the labels `operation` and `status`. The library's own histogram makes a text of the
 * labels at each observation, and looks that up. For a cached answer, this would take about a tenth of its processor
 * time (docs/performance.md).
 */
export class RequestDurations {
  readonly name: string;
  readonly #help: string;
  readonly #known = new Map<string, Map<number, Durations>>();

  constructor({ name, help, registry }: RequestDurationsOptions) {
    this.name = name;
    this.#help = help;
    // A registry only calls `get` of its metrics.
    registry.registerMetric(this as unknown as Metric);
  }

  /** Counts one request, which took so many seconds. */
  observe(operation: string, status: number, seconds: number): void {
    const durations = this.#durationsOf(operation, status);
    let bucket = 0;
    while (bucket < DURATION_BUCKETS.length && seconds > DURATION_BUCKETS[bucket]!) bucket += 1;
    durations.counts[bucket]! += 1;
    durations.sum += seconds;
  }

  /** The histogram as prom-client's registry expects it. */
  get(): Promise<MetricObjectWithValues<MetricValueWithName<string>>> {
    const values = [...this.#known].flatMap(([operation, statuses]) =>
      [...statuses].flatMap(([status, durations]) =>
        valuesOf(this.name, { operation, status }, durations),
      ),
    );
    return Promise.resolve({
      name: this.name,
      help: this.#help,
      type: HISTOGRAM,
      values,
      aggregator: 'sum',
      collect: () => undefined,
    });
  }

  #durationsOf(operation: string, status: number): Durations {
    let statuses = this.#known.get(operation);
    if (!statuses) this.#known.set(operation, (statuses = new Map<number, Durations>()));
    let durations = statuses.get(status);
    if (!durations) statuses.set(status, (durations = noDurations()));
    return durations;
  }
}

function noDurations(): Durations {
  return { counts: new Array<number>(DURATION_BUCKETS.length + 1).fill(0), sum: 0 };
}

function valuesOf(
  name: string,
  labels: { operation: string; status: number },
  { counts, sum }: Durations,
): MetricValueWithName<string>[] {
  let upToHere = 0;
  const buckets = [...DURATION_BUCKETS, '+Inf'].map((le, at) => {
    upToHere += counts[at]!;
    return { labels: { le, ...labels }, value: upToHere, metricName: `${name}_bucket` };
  });
  return [
    ...buckets,
    { labels, value: sum, metricName: `${name}_sum` },
    { labels, value: upToHere, metricName: `${name}_count` },
  ];
}
