import type { SimilarView } from '../../../../shared/store/views.js';
import { etagOf } from '../../stores/entityTag.js';
import { compareBody, storedBodies } from '../compareBody.js';
import type { Difference } from '../difference.js';
import { within } from '../idWindow.js';
import {
  differenceOf,
  isResting,
  orphanView,
  resting,
  type ThreadCheck,
  type ThreadLook,
} from './threadLook.js';

/** Lists of similar threads: none names a thread that is gone, each shows the others as they are listed now. */
export const checkSimilar: ThreadCheck = async (look) => {
  const { deps, window, threads, tally } = look;
  const { similar, similarMarks } = deps.collections;
  const marks = await similarMarks
    .find({
      $or: [{ _id: within(window, 'similar/') }, { _id: within(window, 'shown/') }],
    })
    .toArray();
  const marked = new Set(marks.map(({ _id }) => _id.slice(_id.indexOf('/') + 1)));
  const views = new Map<string, SimilarView>();
  for await (const view of similar.find({ _id: within(window) })) views.set(view._id, view);
  const items = await itemTexts(look, views);
  const found = [...views.keys()]
    .filter((id) => !threads.has(id))
    .map((id) => orphanView(id, 'list of similar threads'));
  const unseen = new Set(resting(look).flatMap(({ thread, item }) => (item ? [thread._id] : [])));
  const compare = async (id: string, stored?: Parameters<typeof compareBody>[1]): Promise<void> => {
    const one = threads.get(id)!;
    // What waits to be looked for again is no difference; what is gone is taken out at once.
    if (!isResting(one) || marked.has(id)) return;
    const view = views.get(id);
    const others = view?.similarTo ?? [];
    if (one.item) found.push(...namesGone(one, others, items));
    const text = similarText(id, others, items);
    const must = { isShown: one.item !== undefined, etag: etagOf(text) };
    const differs = await compareBody(deps.collections, stored, must);
    if (!differs || differs.problem === 'stale') return;
    found.push(differenceOf(one, `similar.${differs.problem}`, differs.detail));
  };
  for await (const [id, stored] of storedBodies(deps.collections, window, 'similar/')) {
    unseen.delete(id);
    tally('bodies', 1);
    if (threads.has(id)) await compare(id, stored);
    else found.push(orphanView(id, `body ${stored._id}`));
  }
  for (const id of unseen) await compare(id);
  return found;
};

/** The texts of list items by thread, empty for threads that are not listed. */
async function itemTexts(
  { deps, items }: ThreadLook,
  views: ReadonlyMap<string, SimilarView>,
): Promise<Map<string, string>> {
  const texts = new Map([...items].map(([id, { item }]) => [id, item]));
  const others = [...views.values()].flatMap(({ similarTo }) => similarTo);
  const wanted = [...new Set(others)].filter((id) => !texts.has(id));
  const found = deps.collections.threadItems.find(
    { _id: { $in: wanted } },
    { projection: { item: 1 }, batchSize: 2_000 },
  );
  for await (const { _id, item } of found) texts.set(_id, item);
  return texts;
}

function namesGone(
  one: Parameters<typeof differenceOf>[0],
  others: string[],
  items: ReadonlyMap<string, string>,
): Difference[] {
  const gone = others.filter((id) => !items.get(id));
  return gone.length === 0
    ? []
    : [differenceOf(one, 'similar.deleted', `It names ${gone.join(', ')}`)];
}

function similarText(
  threadId: string,
  others: string[],
  items: ReadonlyMap<string, string>,
): string {
  const shown = others.flatMap((id) => items.get(id) || []);
  return `{"threadId":${JSON.stringify(threadId)},"threads":[${shown.join(',')}]}`;
}
