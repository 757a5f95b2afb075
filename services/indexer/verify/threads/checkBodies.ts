import { BODY_KINDS } from '../../../../shared/store/bodyKinds.js';
import { NEVER } from '../../../../shared/store/work.js';
import { slices } from '../../records/slices.js';
import type { BuiltKind } from '../../build/storeViews.js';
import { shownLists } from '../../build/similarBodies.js';
import { compareBodies, compareTexts, type ExpectedTag } from '../compareBodies.js';
import { etagOf } from '../../stores/entityTag.js';
import { within } from '../../records/idWindow.js';
import { resting, type ThreadCheck, type ThreadLook } from './threadLook.js';

/** How many bodies are held in memory at once. */
const MOST_AT_ONCE = 100;

/** Compares the bodies of threads and participants with the records, byte for byte. */
export const checkBodies: ThreadCheck = async (look) => {
  for (const some of slices(resting(look), MOST_AT_ONCE)) {
    const expected = new Map<string, ExpectedTag>();
    for (const { thread, views, bodyTag } of some) {
      const must: Record<BuiltKind, ExpectedTag> = {
        thread: views && bodyTag,
        participants: views && etagOf(views.participants),
      };
      for (const [kind, tag] of Object.entries(must)) expected.set(`${kind}/${thread._id}`, tag);
    }
    for (const { name, detail, stored, isShown } of await compareBodies(
      look.deps.collections,
      expected,
    )) {
      const one = look.threads.get(name.slice(name.indexOf('/') + 1))!;
      const kind = isShown ? 'thread.shown' : 'thread.wrong';
      look.problems.note(one, kind, `${name} ${detail}`, stored?.revision);
    }
    look.tally('bodies', expected.size);
  }
  return [];
};

/**
 * Compares the lists of similar threads. Each must show the found threads as they are listed now, and none that is
 * gone. A list that will be made again anyway is left out.
 */
export const checkSimilar: ThreadCheck = async (look) => {
  const { deps, threads, problems } = look;
  const marked = await markedThreads(look);
  const compared = resting(look).filter(({ thread }) => !marked.has(thread._id));
  for (const some of slices(compared, MOST_AT_ONCE)) {
    const ids = some.map(({ thread }) => thread._id);
    const { texts: shown, gone } = await shownLists(deps.collections, ids);
    const texts = new Map(shown);
    for (const one of some) {
      const { _id } = one.thread;
      const others = gone.get(_id);
      if (!one.views) texts.set(`similar/${_id}`, null);
      else if (others) {
        problems.note(one, 'similar.wrong', `It names ${others.join(', ')}, which is not listed`);
      }
    }
    const found = await compareTexts(deps.collections, texts);
    for (const { name, detail } of found) {
      problems.note(
        threads.get(name.slice(name.indexOf('/') + 1))!,
        'similar.wrong',
        `${name} ${detail}`,
      );
    }
    look.tally('bodies', some.length);
  }
  return [];
};

/** The threads whose lists will be made again. Nobody does quarantined marks, so these do not count. */
async function markedThreads({ deps, window }: ThreadLook): Promise<Set<string>> {
  const kinds = ['similar', 'shown', 'lists', 'links'] as const;
  const marks = await deps.collections.work
    .find({ due: { $ne: NEVER }, $or: kinds.map((kind) => ({ _id: within(window, `${kind}/`) })) })
    .toArray();
  return new Set(marks.map(({ subject }) => subject));
}

/** Looks for bodies, list items, contributions and lists of similar threads of threads that are not recorded. */
export const checkOrphanViews: ThreadCheck = async ({ deps, window, threads }) => {
  const { bodies, similar, threadItems, contributions } = deps.collections;
  const names = BODY_KINDS.thread.map((kind) => ({ _id: within(window, `${kind}/`) }));
  const bodyNames = bodies.find({ $or: names }).project<{ _id: string }>({ _id: 1 });
  const orphans = new Map<string, string>();
  const look = (id: string, what: string): void => {
    if (!threads.has(id)) orphans.set(id, what);
  };
  for await (const { _id } of bodyNames) look(_id.slice(_id.indexOf('/') + 1), `body ${_id}`);
  for (const id of await distinctIds(similar, '_id', window)) look(id, 'list of similar threads');
  for (const id of await distinctIds(threadItems, '_id', window)) look(id, 'list item');
  for (const id of await distinctIds(contributions, 'threadId', window)) look(id, 'contribution');
  return [...orphans].map(([id, what]) => {
    return { kind: 'view.orphan', id, detail: `There is a ${what} of it`, basis: '' };
  });
};

async function distinctIds(
  collection: { distinct: (field: string, filter: object) => Promise<unknown[]> },
  field: '_id' | 'threadId',
  window: ThreadLook['window'],
): Promise<string[]> {
  return (await collection.distinct(field, { [field]: within(window) })) as string[];
}
