import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** The metrics of one process, as its registry gives them. */
export type Metrics = MetricObjectWithValues<MetricValue<string>>[];

/**
 * Messages from the parent process: a request for a process's metrics, and the sum that it asked for. `text` is in the
 * format of Prometheus.
 */
export type ToProcess = { kind: 'tell metrics' } | { kind: 'sum of metrics'; text: string };

/** Messages to the parent process: a request for the sum of all metrics, and the metrics of this process. */
export type FromProcess = { kind: 'want sum of metrics' } | { kind: 'metrics'; metrics: Metrics };
