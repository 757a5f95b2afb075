import type { AskLimits } from '../../services/api/stores/gatherReads.js';
import type { Mongo } from '../../shared/platform/clients.js';
import { PATIENCE_MS } from './patientElasticsearch.js';

/** Limits of reads from a store that is there: they wait as long as a busy machine takes. */
export const PATIENT_READS: AskLimits = { refuse: () => undefined, waitMs: PATIENCE_MS };

/** The same database, whose collections let MongoDB work on each call as long as a busy machine takes. */
export function patientMongo(mongo: Mongo): Mongo {
  const entries = Object.entries(mongo.collections);
  const collections = Object.fromEntries(
    entries.map(([name, collection]) => [name, patient(collection)]),
  );
  return { ...mongo, collections: collections as unknown as Mongo['collections'] };
}

function patient<T extends object>(collection: T): T {
  return new Proxy(collection, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown;
      if (typeof value !== 'function') return value;
      return (...given: unknown[]): unknown =>
        Reflect.apply(value, target, given.map(patientOptions));
    },
  });
}

function patientOptions(given: unknown): unknown {
  const isLimited = typeof given === 'object' && given !== null && 'maxTimeMS' in given;
  return isLimited ? { ...given, maxTimeMS: PATIENCE_MS } : given;
}
