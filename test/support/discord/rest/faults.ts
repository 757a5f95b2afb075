import type { Fault, Faults, RequestEntry } from '../types.js';
import type { RouteName } from './routeNames.js';

/** The faults that a test has asked for, in the form for the server. */
export interface FaultBook extends Faults {
  /** Takes the fault that this request meets. It is then used up. */
  take(entry: RequestEntry): Fault | null;
  /** Resolves when answers that are held back are to be sent. */
  held(): Promise<void>;
}

/** An empty FaultBook. */
export function createFaults(): FaultBook {
  let planned: { fault: Fault; route: RouteName | undefined; left: number }[] = [];
  let waiting: (() => void)[] = [];
  const actions = new Set<{ route: RouteName; action: (entry: RequestEntry) => void }>();
  return {
    latencyMs: 0,

    next(fault, { times = 1, route } = {}) {
      planned.push({ fault, route, left: times });
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
      const one = planned.find(({ route }) => route === undefined || route === entry.route);
      if (!one) return null;
      one.left -= 1;
      planned = planned.filter(({ left }) => left > 0);
      return one.fault;
    },

    held: () => new Promise((resolve) => waiting.push(resolve)),
  };
}
