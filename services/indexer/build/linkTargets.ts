import type { Collections } from '../../../shared/store/collections.js';
import { saidIn } from '../../../shared/store/forwards.js';
import { askGathered } from '../../../shared/store/gather.js';
import type { MessageRecord, ThreadRecord } from '../../../shared/store/records.js';
import { collectReferences } from '../content/collectReferences.js';
import type { LinkTarget, LinkTargets } from '../content/resolveReferences.js';
import { embedTexts } from '../views/embedTexts.js';
import type { MessageLinks } from '../views/foldThread.js';

/** Ids of threads and channels that messages refer to. */
function referencedChannels(messages: MessageRecord[]): string[] {
  return [
    ...new Set(
      messages
        .flatMap(saidIn)
        .flatMap(({ content, embeds }) => [content, ...embedTexts(embeds)])
        .flatMap(collectReferences),
    ),
  ];
}

/**
 * The ids of the threads and channels to which messages refer, and the names of those that this archive has. Where a
 * message refers to its own thread, the name comes from the thread's record, since its list item may not be stored yet.
 */
export async function linkTargets(
  collections: Pick<Collections, 'threadItems' | 'channels'>,
  { _id, title }: Pick<ThreadRecord, '_id' | 'title'>,
  messages: MessageRecord[],
): Promise<MessageLinks> {
  const ids = referencedChannels(messages);
  const targets = new Map(await loadTargets(collections, ids));
  if (ids.includes(_id)) targets.set(_id, { kind: 'thread', name: title });
  return { ids, targets };
}

type Named = Pick<Collections, 'threadItems' | 'channels'>;

/** Which of some ids are listed threads or channels of this archive, with their names. */
export async function loadTargets(collections: Named, ids: string[]): Promise<LinkTargets> {
  if (ids.length === 0) return new Map();
  const find = (_: unknown, lists: string[][]) => findTargets(collections, lists);
  return askGathered(collections.threadItems, 'link targets', find, ids, ({ length }) => length);
}

async function findTargets(
  { threadItems, channels }: Named,
  lists: string[][],
): Promise<LinkTargets[]> {
  const wanted = { $in: [...new Set(lists.flat())] };
  const [items, named] = await Promise.all([
    threadItems.find({ _id: wanted }, { projection: { title: 1 } }).toArray(),
    channels
      .find(
        { _id: wanted, deleted: { $ne: true }, withheldAt: { $exists: false } },
        { projection: { name: 1 } },
      )
      .toArray(),
  ]);
  const targets = new Map<string, LinkTarget>();
  for (const { _id, name } of named) targets.set(_id, { kind: 'channel', name });
  for (const { _id, title } of items) targets.set(_id, { kind: 'thread', name: title });
  return lists.map(
    (ids) =>
      new Map(
        ids.flatMap((id) => {
          const target = targets.get(id);
          return target ? [[id, target]] : [];
        }),
      ),
  );
}
