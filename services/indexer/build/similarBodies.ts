import type { Collections } from '../../../shared/store/collections.js';
import type { BodyTexts } from '../stores/bodyWriter.js';

/**
 * Makes the bodies that list the similar threads of some threads. The body of a thread that is not listed itself is
 * gone. `outdated` names the listed threads that have a thread in their list which is not listed any more.
 */
export async function shownLists(
  collections: Pick<Collections, 'similar' | 'threadItems'>,
  threadIds: readonly string[],
): Promise<{ texts: BodyTexts; outdated: string[] }> {
  const views = await collections.similar.find({ _id: { $in: [...threadIds] } }).toArray();
  const similarTo = new Map(views.map((view) => [view._id, view.similarTo]));
  const named = views.flatMap((view) => view.similarTo);
  const items = await itemsOf(collections, [...threadIds, ...named]);
  const textOf = (id: string): string => {
    const shown = (similarTo.get(id) ?? []).flatMap((other) => items.get(other) || []);
    return `{"threadId":${JSON.stringify(id)},"threads":[${shown.join(',')}]}`;
  };
  const texts = threadIds.map(
    (id) => [`similar/${id}`, items.get(id) ? textOf(id) : null] as const,
  );
  const namesGone = (id: string): boolean =>
    (similarTo.get(id) ?? []).some((other) => !items.get(other));
  const outdated = threadIds.filter((id) => items.get(id) && namesGone(id));
  return { texts: new Map(texts), outdated };
}

/** The stored list items of those of some threads that are listed. */
export async function itemsOf(
  { threadItems }: Pick<Collections, 'threadItems'>,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const items = await threadItems
    .find({ _id: { $in: [...new Set(ids)] } }, { projection: { item: 1 } })
    .toArray();
  return new Map(items.map(({ _id, item }) => [_id, item]));
}
