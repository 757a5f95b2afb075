import { RENDERER_VERSION } from '../../content/renderContent.js';
import { listParticipants } from '../../views/tallyPeople.js';
import { etagOf } from '../../stores/entityTag.js';
import { compareBody, storedBodies, type ExpectedBody } from '../compareBody.js';
import type { Difference } from '../difference.js';
import type { ExpectedThread } from './expectThreads.js';
import {
  differenceOf,
  isResting,
  orphanView,
  type ThreadCheck,
  type ThreadLook,
} from './threadLook.js';

/** The bodies of threads: whole, of the record's revision, with every message and attachment in order. */
export const checkThreadBodies: ThreadCheck = (look) =>
  checkBodies(look, 'body', 'thread/', ({ count }) => ({
    judge: (text) => judgeMessages(text, count.ids, count.attachments),
  }));

/** The bodies of participants: byte for byte what is counted from the messages. */
export const checkParticipants: ThreadCheck = (look) =>
  checkBodies(look, 'participants', 'participants/', ({ count }) => ({
    etag: etagOf(JSON.stringify(listParticipants([...count.people.values()]))),
  }));

async function checkBodies(
  look: ThreadLook,
  name: 'body' | 'participants',
  prefix: string,
  expectedText: (thread: ExpectedThread) => Pick<ExpectedBody, 'etag' | 'judge'>,
): Promise<Difference[]> {
  const { deps, window, threads } = look;
  const found: Difference[] = [];
  const unseen = new Map([...threads].filter(([, { item }]) => item));
  const compare = async (
    expected: ExpectedThread,
    stored?: Parameters<typeof compareBody>[1],
  ): Promise<void> => {
    if (!isResting(expected)) return;
    const { thread, item } = expected;
    const isShown = item !== undefined;
    const must = { isShown, revision: thread.revision, ...(isShown && expectedText(expected)) };
    const differs =
      (await compareBody(deps.collections, stored, must)) ?? ofOldRenderer(name, stored);
    if (!differs) return;
    const clue = { above: stored?.revision ?? 0 };
    found.push(differenceOf(expected, `${name}.${differs.problem}`, differs.detail, clue));
  };
  for await (const [id, stored] of storedBodies(deps.collections, window, prefix)) {
    unseen.delete(id);
    const expected = threads.get(id);
    if (expected) await compare(expected, stored);
    else found.push(orphanView(id, `body ${stored._id}`));
    look.tally('bodies', 1);
  }
  for (const expected of unseen.values()) await compare(expected);
  return found;
}

function ofOldRenderer(
  name: 'body' | 'participants',
  stored: { renderer: number; gone?: boolean } | undefined,
): { problem: 'stale'; detail: string } | null {
  if (name !== 'body' || !stored || stored.gone || stored.renderer === RENDERER_VERSION)
    return null;
  return { problem: 'stale', detail: `It was made by renderer ${stored.renderer}` };
}

interface ShownMessage {
  id: string;
  attachments: { id: string }[];
  forwarded: { attachments: { id: string }[] } | null;
}

function judgeMessages(text: string, ids: string[], attachments: string[]): string | undefined {
  const { messages, messageCount } = JSON.parse(text) as {
    messages: ShownMessage[];
    messageCount: number;
  };
  const shown = messages.map(({ id }) => id);
  if (shown.join() !== ids.join()) {
    return `it shows ${shown.length} messages, ${ids.length} are recorded${firstMissing(ids, shown)}`;
  }
  if (messageCount !== ids.length) return `it counts ${messageCount} messages of ${ids.length}`;
  const attached = messages
    .flatMap((message) => [...message.attachments, ...(message.forwarded?.attachments ?? [])])
    .map(({ id }) => id);
  if (attached.join() === attachments.join()) return undefined;
  return `it shows ${attached.length} attachments, ${attachments.length} are recorded${firstMissing(attachments, attached)}`;
}

function firstMissing(recorded: string[], shown: string[]): string {
  const known = new Set(shown);
  const missing = recorded.find((id) => !known.has(id));
  return missing === undefined ? '' : `; ${missing} is missing`;
}
