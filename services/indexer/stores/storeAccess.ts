import type { Client } from '@elastic/elasticsearch';
import type { Mongo } from '../../../shared/platform/clients.js';
import type { Logger } from '../../../shared/platform/logger.js';
import { collectionsOf, type Collections } from '../../../shared/store/collections.js';
import { unspacedCollections } from '../../../shared/store/gather.js';
import type { StoreAccess } from '../deps.js';
import { recordRefusals } from '../quarantine/recordRefusals.js';
import { createCommit, type Commit, type OrderedCommit } from '../work/commit.js';
import { createSearchWriter, targetsOf } from './searchWriter.js';

/**
 * Two accesses to the same stores. During an import, the requests of the ordinary one are large, and wait long until
 * they are sent. What is asked through `first` has requests of its own, and its transactions overtake the others.
 * `onCommit` is called after each transaction of either. `stop` ends the changes of both.
 */
export function createStoreAccess(
  { client, db, namespace, collections }: Mongo,
  elasticsearch: Client,
  { logger, onCommit }: { logger: Logger; onCommit?: () => void },
): StoreAccess & { first: StoreAccess } & Pick<OrderedCommit, 'stop'> {
  const commit = createCommit(client, collections, onCommit);
  const access = (own: Collections, ownCommit: Commit): StoreAccess => ({
    collections: own,
    commit: ownCommit,
    search: createSearchWriter(
      elasticsearch,
      targetsOf({ collections: own, namespace }),
      (refusals) => recordRefusals({ commit: ownCommit, logger }, refusals),
    ),
  });
  return {
    ...access(collections, commit),
    first: access(unspacedCollections(collectionsOf(db)), commit.first),
    stop: () => commit.stop(),
  };
}
