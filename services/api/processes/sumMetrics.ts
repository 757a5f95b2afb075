import type { Registry } from 'prom-client';
import { withTimeout } from '../../../shared/platform/withTimeout.js';
import type { FromProcess, ToProcess } from './messages.js';

/** Longer than all processes have to tell their metrics (ms). */
const SUM_MS = 2_000;

/**
 * Tells the metrics of this process to the one that runs it, whenever that asks. Gives a function that resolves with
 * the sum of all processes in the format of Prometheus, and rejects with a TimeoutError when none comes.
 */
export function sumMetrics(registry: Registry): () => Promise<string> {
  const waiting = new Set<(text: string) => void>();
  process.on('message', (message: ToProcess) => {
    if (message.kind === 'tell metrics') {
      void registry.getMetricsAsJSON().then((metrics) => tell({ kind: 'metrics', metrics }));
    } else {
      for (const resolve of waiting) resolve(message.text);
      waiting.clear();
    }
  });
  return () =>
    withTimeout(SUM_MS, () => {
      tell({ kind: 'want sum of metrics' });
      return new Promise((resolve) => waiting.add(resolve));
    });
}

function tell(message: FromProcess): void {
  process.send?.(message);
}
