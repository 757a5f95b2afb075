import { expect } from 'chai';
import { AggregatorRegistry, Histogram, Registry, type MetricValue } from 'prom-client';
import { RequestDurations } from '../../../../services/api/metrics/requestDurations.js';
import type { Metrics } from '../../../../services/api/processes/messages.js';
import { DURATION_BUCKETS } from '../../../../shared/platform/metrics.js';

/** Values at both ends of buckets, between them, and beyond the last one. */
const SECONDS = [0, 0.001, 0.0011, 0.05, 0.1, 3, 59, 60, 60.1, 4_000];
const ABOUT = { name: 'durations_seconds', help: 'How long it took' };

describe('RequestDurations', () => {
  /** The same durations in a histogram of the library and in this project's. */
  const registries = (): Record<'library' | 'ours', Registry> => {
    const [library, ours] = [new Registry(), new Registry()];
    const buckets = DURATION_BUCKETS;
    const labelNames = ['operation', 'status'] as const;
    const expected = new Histogram({ ...ABOUT, labelNames, buckets, registers: [library] });
    const durations = new RequestDurations({ ...ABOUT, registry: ours });
    for (const labels of [
      { operation: 'a', status: 200 },
      { operation: 'b"\\\n', status: 404 },
    ]) {
      for (const seconds of SECONDS) {
        expected.observe(labels, seconds);
        durations.observe(labels.operation, labels.status, seconds);
      }
    }
    return { library, ours };
  };

  it("reports the same as the library's histogram", async () => {
    const { library, ours } = registries();
    expect(await ours.metrics()).to.equal(await library.metrics());
  });

  it('is added up over several processes in the same way', async () => {
    const { library, ours } = registries();
    const sum = async (registry: Registry): Promise<string> => {
      const told = (await registry.getMetricsAsJSON()) as unknown as Metrics;
      const copies: MetricValue<string>[][] = JSON.parse(JSON.stringify([told, told])) as never;
      return AggregatorRegistry.aggregate(copies).metrics();
    };
    expect(await sum(ours)).to.equal(await sum(library));
  });
});
