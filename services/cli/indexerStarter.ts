import { startService, type Service, type ServicesContext } from '../local/services.js';

/** Starts an indexer when it is first called. Later calls do nothing. */
export function indexerStarter(context: ServicesContext): () => void {
  let indexer: Service | undefined;
  return () => {
    indexer ??= startService('The indexer', 'indexer', context);
  };
}
