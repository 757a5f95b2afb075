import { startService, type Service, type ServicesContext } from '../local/services.js';

/** Starts an indexer when it is first called; later calls leave that one to its work. */
export function indexerStarter(context: ServicesContext): () => void {
  let indexer: Service | undefined;
  return () => {
    indexer ??= startService('The indexer', 'indexer', context);
  };
}
