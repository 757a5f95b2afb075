import type { Collections } from '../../../shared/store/collections.js';
import type { BodyTexts } from '../stores/bodyWriter.js';

/**
 * Makes the bodies that list the similar threads of some threads. The body of a thread that is not listed itself is
 * gone. A list may name threads that are not listed any more. `gone` holds these threads by the id of the thread whose
 * list names them, if that one is listed itself.
 */
export async function shownLists(
  collections: Pick<Collections, 'similar' | 'threadItems'>,
  threadIds: readonly string[],
): Promise<{ texts: BodyTexts; gone: ReadonlyMap<string, string[]> }> {
  const views = await collections.similar.find({ _id: { $in: [...threadIds] } }).toArray();
  const similarTo = new Map(views.map((view) => [view._id, view.similarTo]));
  const named = views.flatMap((view) => view.similarTo);
  const items = await itemsOf(collections, [...threadIds, ...named]);
  const texts = new Map<string, string | null>();
  const gone = new Map<string, string[]>();
  for (const id of threadIds) {
    const isListed = items.has(id);
    const others = similarTo.get(id) ?? [];
    const shown = others.flatMap((other) => items.get(other) ?? []);
    const text = `{"threadId":${JSON.stringify(id)},"threads":[${shown.join(',')}]}`;
    texts.set(`similar/${id}`, isListed ? text : null);
    if (isListed && shown.length < others.length) {
      gone.set(
        id,
        others.filter((other) => !items.has(other)),
      );
    }
  }
  return { texts, gone };
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
