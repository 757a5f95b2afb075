import { startService, type Service, type ServicesContext } from '../local/services.js';
import { crashError } from '../local/waitUntilReady.js';

/**
 * Makes a function that starts an indexer at its first call. Later calls do nothing. `onEnd` is told when the indexer has
 * ended.
 */
export function indexerStarter(
  context: ServicesContext,
  onEnd: (error: Error) => void,
): () => void {
  let indexer: Service | undefined;
  return () => {
    if (indexer) return;
    indexer = startService('The indexer', 'indexer', context);
    const { name, child } = indexer;
    void child.exited.then(async (code) => onEnd(await crashError(name, child, code)));
  };
}
