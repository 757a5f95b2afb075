import { createHash, type Hash } from 'node:crypto';
import { batches } from '../../../../shared/platform/batches.js';
import type { MessageRecord } from '../../../../shared/store/records.js';
import type { MessageDocument, SearchDocument } from '../../../../shared/store/searchIndex.js';
import type { IndexerDeps } from '../../deps.js';
import { MESSAGE_BATCH } from '../../project/messageBatch.js';
import { MAX_LINKS } from '../../views/foldThread.js';
import { linkTargets, loadThread } from '../../project/loadThread.js';
import { presentMessage } from '../../views/presentMessage.js';
import { conversationText, messageDocument, threadDocument } from '../../views/searchDocuments.js';
import {
  detailClosing,
  detailOpening,
  threadHead,
  threadSummary,
} from '../../views/threadViews.js';
import { tagOf } from '../../stores/entityTag.js';
import type { Difference } from '../difference.js';
import { erasedTraces, type ErasedTraces } from '../erasedTraces.js';
import { differingDocuments } from './differingDocuments.js';
import type { ExpectedThread } from './expectThreads.js';
import { differenceOf, resting, type ThreadCheck, type ThreadLook } from './threadLook.js';

const AT_ONCE = 8;

/**
 * Threads of the sample, rendered again: the stored body byte for byte, every field of the search documents, and what the
 * list item says the thread links to. Nothing in their messages is of somebody who was erased.
 */
export const checkSample: ThreadCheck = async (look) => {
  const sampled = resting(look).filter(({ thread, item }) => item && look.isSampled(thread._id));
  const traces = await erasedTraces(look.deps.collections);
  const found: Difference[] = [];
  for (let start = 0; start < sampled.length; start += AT_ONCE) {
    const some = sampled.slice(start, start + AT_ONCE);
    found.push(...(await Promise.all(some.map((one) => renderAgain(look, one, traces)))).flat());
  }
  look.tally('rendered', sampled.length);
  return found;
};

async function renderAgain(
  look: ThreadLook,
  one: ExpectedThread,
  traces: ErasedTraces,
): Promise<Difference[]> {
  const { collections } = look.deps;
  const found: Difference[] = [];
  /** Who was erased and is still there -> a message that shows it. */
  const kept = new Map<string, string>();
  const lookFor = (message: MessageRecord): void => {
    for (const userId of traces.inMessage(message)) kept.set(userId, message._id);
  };
  const compare = async (documents: SearchDocument[]): Promise<void> => {
    for (const index of look.indexes) {
      const ids = await differingDocuments(look.deps.elasticsearch, index, documents);
      if (ids.length === 0) continue;
      const detail = `${ids[0]} differs in its fields, in ${index}`;
      found.push(differenceOf(one, 'search.wrong', detail));
    }
  };
  const { etag, linksTo } = await renderThread(look.deps, one, { lookFor, compare });
  for (const [userId, messageId] of kept) {
    found.push(differenceOf(one, 'erased.kept', `In message ${messageId}`, { userId }));
  }
  const item = look.items.get(one.thread._id);
  if (item?.revision === one.thread.revision && !areSame(item.linksTo, linksTo)) {
    found.push(differenceOf(one, 'item.wrong', 'It differs in linksTo'));
  }
  const name = `thread/${one.thread._id}`;
  const stored = await collections.bodies.findOne(
    { _id: name },
    { projection: { etag: 1, revision: 1 } },
  );
  if (stored?.revision === one.thread.revision && stored.etag !== etag) {
    found.push(differenceOf(one, 'body.wrong', `${name} is not what is rendered now`));
  }
  return found;
}

function areSame(stored: string[], expected: ReadonlySet<string>): boolean {
  return new Set(stored).size === expected.size && stored.every((id) => expected.has(id));
}

/**
 * The entity tag of a thread's body as it is rendered now, and the ids of what its messages refer to; messages and search
 * documents are handed on as they come.
 */
async function renderThread(
  { collections, resolvedTags }: IndexerDeps,
  { thread }: ExpectedThread,
  {
    lookFor,
    compare,
  }: {
    lookFor: (message: MessageRecord) => void;
    compare: (documents: SearchDocument[]) => Promise<void>;
  },
): Promise<{ etag: string; linksTo: ReadonlySet<string> }> {
  const linksTo = new Set<string>();
  const loaded = await loadThread(collections, thread, resolvedTags);
  if (!loaded) return { etag: '', linksTo };
  const { model, messages } = loaded;
  const head = threadHead(model);
  const hash = createHash('sha256').update(detailOpening(head));
  const conversation = conversationText();
  let counted = { messages: 0, lastAt: model.first.createdAt };
  for await (const batch of batches(messages, MESSAGE_BATCH)) {
    const { ids, targets } = await linkTargets(collections, thread, batch);
    for (const id of ids) if (linksTo.size < MAX_LINKS) linksTo.add(id);
    const documents: MessageDocument[] = [];
    for (const message of batch) {
      lookFor(message);
      addJson(hash, presentMessage(message, targets, thread.serverId), counted.messages > 0);
      conversation.add(message);
      counted = { messages: counted.messages + 1, lastAt: message.createdAt };
      documents.push(messageDocument(head, message));
    }
    await compare(documents);
  }
  const summary = threadSummary(head, model.first, counted);
  await compare([threadDocument(head, summary, conversation)]);
  return { etag: tagOf(hash.update(detailClosing(summary))), linksTo };
}

function addJson(hash: Hash, value: object, isNext: boolean): void {
  hash.update(`${isNext ? ',' : ''}${JSON.stringify(value)}`);
}
