import type {
  LabelValues,
  Metric,
  MetricObjectWithValues,
  MetricType,
  MetricValueWithName,
  Registry,
} from 'prom-client';
import { DURATION_BUCKETS } from '../../../shared/platform/metrics.js';

export interface DurationsOptions {
  name: string;
  help: string;
  registry: Registry;
}

/** The library declares its enum of types, but does not export it. */
const HISTOGRAM = 'histogram' as unknown as MetricType;

/** The durations with one set of labels. */
export class Durations {
  readonly labels: LabelValues<string>;
  /** How many were in each bucket of `DURATION_BUCKETS`, and, at the end, how many were longer. */
  readonly counts = new Array<number>(DURATION_BUCKETS.length + 1).fill(0);
  sum = 0;

  constructor(labels: LabelValues<string>) {
    this.labels = labels;
  }

  /** Counts one duration (seconds). */
  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < DURATION_BUCKETS.length && seconds > DURATION_BUCKETS[bucket]!) bucket += 1;
    this.counts[bucket]! += 1;
    this.sum += seconds;
  }
}

/**
 * A histogram of durations for what happens at every request. The library's own looks for the labels with each
 * observation, which took a tenth of the time of a request. Here whoever observes has looked for them: `add` gives what
 * to observe with.
 */
export class DurationHistogram {
  readonly name: string;
  readonly #help: string;
  readonly #all: Durations[] = [];

  constructor({ name, help, registry }: DurationsOptions) {
    this.name = name;
    this.#help = help;
    // A registry asks its metrics for nothing but what `get` gives.
    registry.registerMetric(this as unknown as Metric);
  }

  /** Adds a set of labels that was not there before. */
  add(labels: LabelValues<string>): Durations {
    const added = new Durations(labels);
    this.#all.push(added);
    return added;
  }

  /** What a registry tells of it, in the library's own form. */
  get(): Promise<MetricObjectWithValues<MetricValueWithName<string>>> {
    return Promise.resolve({
      ...{ name: this.name, help: this.#help, type: HISTOGRAM },
      ...{ aggregator: 'sum', collect: () => undefined },
      values: this.#all.flatMap((one) => this.#valuesOf(one)),
    });
  }

  #valuesOf({ labels, counts, sum }: Durations): MetricValueWithName<string>[] {
    let upToHere = 0;
    const buckets = [...DURATION_BUCKETS, '+Inf'].map((le, at) => {
      upToHere += counts[at]!;
      return { labels: { le, ...labels }, value: upToHere, metricName: `${this.name}_bucket` };
    });
    return [
      ...buckets,
      { labels, value: sum, metricName: `${this.name}_sum` },
      { labels, value: upToHere, metricName: `${this.name}_count` },
    ];
  }
}
