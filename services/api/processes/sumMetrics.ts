import type { Registry } from 'prom-client';
import { withTimeout } from '../../../shared/platform/withTimeout.js';
import type { FromProcess, ToProcess } from './messages.js';

/** How long to wait for the sum (ms). The parent process waits less long for the metrics of all processes. */
const SUM_MS = 2_000;

/**
 * Sends the metrics of this process to its parent process, whenever that asks for them. The returned function asks the
 * parent process for the sum of all processes, and resolves with it in the text format of Prometheus. It rejects with a
 * TimeoutError where no sum comes.
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
