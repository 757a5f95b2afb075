import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** The metrics of one process, as `getMetricsAsJSON` of its registry returns them. */
export type Metrics = MetricObjectWithValues<MetricValue<string>>[];

/**
 * Messages from the parent process. It asks a process for its metrics, or sends it the sum that it asked for: `text`,
 * in the text format of Prometheus.
 */
export type ToProcess = { kind: 'tell metrics' } | { kind: 'sum of metrics'; text: string };

/** Messages to the parent process. A process asks for the sum of all metrics, or sends its own. */
export type FromProcess = { kind: 'want sum of metrics' } | { kind: 'metrics'; metrics: Metrics };
