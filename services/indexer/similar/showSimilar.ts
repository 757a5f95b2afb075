import { findAllGathered } from '../../../shared/store/gather.js';
import type { IndexerDeps } from '../deps.js';
import { storeBody, storeGone } from '../stores/bodyWriter.js';
import { nextVersion } from '../stores/nextVersion.js';

type Deps = Pick<IndexerDeps, 'collections' | 'announcer'>;

/**
 * Writes the body of each thread's similar threads from its stored list, as they stand in the lists now. The version is
 * taken first, and the list is stored before: a thread that changes in between finds the list, and this body is
 * written again.
 */
export async function showSimilar(deps: Deps, threadIds: string[]): Promise<void> {
  if (threadIds.length === 0) return;
  const { collections } = deps;
  const version = await nextVersion(collections.counters);
  const views = await collections.similar.find({ _id: { $in: threadIds } }).toArray();
  const similarTo = new Map(views.map((view) => [view._id, view.similarTo]));
  const items = await itemsOf(deps, [...threadIds, ...views.flatMap((view) => view.similarTo)]);
  await Promise.all(
    threadIds.map((id) => {
      const name = `similar/${id}`;
      if (!items.get(id)) return storeGone(collections, name, version);
      const shown = (similarTo.get(id) ?? []).flatMap((other) => items.get(other) || []);
      const json = `{"threadId":${JSON.stringify(id)},"threads":[${shown.join(',')}]}`;
      return storeBody(collections, name, version, json);
    }),
  );
  deps.announcer.announce({ similar: threadIds });
}

/** Threads whose lists name a thread. */
export async function threadsShowing(
  { collections }: Pick<IndexerDeps, 'collections'>,
  threadId: string,
): Promise<string[]> {
  const views = await findAllGathered(collections.similar, 'similarTo', threadId, {
    fields: ['_id'],
  });
  return views.map(({ _id }) => _id);
}

async function itemsOf({ collections }: Deps, ids: string[]): Promise<Map<string, string>> {
  const items = await collections.threadItems
    .find({ _id: { $in: [...new Set(ids)] } }, { projection: { item: 1 } })
    .toArray();
  return new Map(items.map(({ _id, item }) => [_id, item]));
}
