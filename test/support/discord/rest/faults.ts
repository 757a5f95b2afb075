import type { Fault, Faults, RequestEntry } from '../types.js';
import type { RouteName } from './routeNames.js';

/** The faults that a test asked for, as the server looks for them. */
export interface FaultBook extends Faults {
  /** The fault that this request meets, which is then used up. */
  take(entry: RequestEntry): Fault | null;
  /** Resolves when answers that are held are to be sent. */
  held(): Promise<void>;
}

/** No faults yet. */
export function createFaults(): FaultBook {
  let planned: { fault: Fault; route: RouteName | undefined }[] = [];
  let waiting: (() => void)[] = [];
  const actions = new Set<{ route: RouteName; action: (entry: RequestEntry) => void }>();
  return {
    latencyMs: 0,

    next(fault, { times = 1, route } = {}) {
      planned.push(...Array.from({ length: times }, () => ({ fault, route })));
    },

    clear() {
      planned = [];
      this.latencyMs = 0;
      waiting.forEach((resume) => resume());
      waiting = [];
    },

    before(route, action) {
      const one = { route, action };
      actions.add(one);
      return () => void actions.delete(one);
    },

    take(entry) {
      for (const { route, action } of [...actions]) if (route === entry.route) action(entry);
      const index = planned.findIndex(({ route }) => route === undefined || route === entry.route);
      return index < 0 ? null : planned.splice(index, 1)[0]!.fault;
    },

    held: () => new Promise((resolve) => waiting.push(resolve)),
  };
}
