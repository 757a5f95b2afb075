import { startService, type Service, type ServicesContext } from '../local/services.js';

/** Makes a function that starts an indexer at its first call. Later calls do nothing. */
export function indexerStarter(context: ServicesContext): () => void {
  let indexer: Service | undefined;
  return () => {
    indexer ??= startService('The indexer', 'indexer', context);
  };
}
