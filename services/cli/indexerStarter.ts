import {
  failWhenEnded,
  startService,
  type Service,
  type ServicesContext,
} from '../local/services.js';

/**
 * Makes a function that starts an indexer at its first call. Later calls do nothing. When the indexer has ended,
 * `onEnd` is called with the reason.
 */
export function indexerStarter(
  context: ServicesContext,
  onEnd: (error: Error) => void,
): () => void {
  let indexer: Service | undefined;
  return () => {
    if (indexer) return;
    indexer = startService('The indexer', 'indexer', context);
    failWhenEnded(indexer).catch(onEnd);
  };
}
