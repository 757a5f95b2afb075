import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** The metrics of one process, as its registry gives them. */
export type Metrics = MetricObjectWithValues<MetricValue<string>>[];

/** What the process that runs the others asks of one, and answers. `text` is the sum in the format of Prometheus. */
export type ToProcess = { kind: 'tell metrics' } | { kind: 'sum of metrics'; text: string };

/** What a process asks of the one that runs it, and answers. */
export type FromProcess = { kind: 'want sum of metrics' } | { kind: 'metrics'; metrics: Metrics };
