import type { Collections } from '../../../shared/store/collections.js';
import { findAllGathered } from '../../../shared/store/gather.js';
import type { IndexerDeps } from '../deps.js';
import { storeBodies, type BodyTexts } from '../stores/bodyWriter.js';
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
  await storeBodies(collections, await similarBodies(collections, threadIds), version);
  deps.announcer.announce({ similar: threadIds });
}

/** The bodies of threads' similar threads; gone where a thread is not listed. */
export async function similarBodies(
  collections: Pick<Collections, 'similar' | 'threadItems'>,
  threadIds: readonly string[],
): Promise<BodyTexts> {
  const views = await collections.similar.find({ _id: { $in: [...threadIds] } }).toArray();
  const similarTo = new Map(views.map((view) => [view._id, view.similarTo]));
  const named = views.flatMap((view) => view.similarTo);
  const items = await itemsOf(collections, [...threadIds, ...named]);
  const textOf = (id: string): string => {
    const shown = (similarTo.get(id) ?? []).flatMap((other) => items.get(other) || []);
    return `{"threadId":${JSON.stringify(id)},"threads":[${shown.join(',')}]}`;
  };
  return new Map(threadIds.map((id) => [`similar/${id}`, items.get(id) ? textOf(id) : null]));
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

async function itemsOf(
  { threadItems }: Pick<Collections, 'threadItems'>,
  ids: string[],
): Promise<Map<string, string>> {
  const items = await threadItems
    .find({ _id: { $in: [...new Set(ids)] } }, { projection: { item: 1 } })
    .toArray();
  return new Map(items.map(({ _id, item }) => [_id, item]));
}
