import { faultPoint } from '../../../shared/platform/faultPoint.js';
import type { ErasedPeople } from '../../../shared/store/erasures.js';
import type { MessageRecord, SourceMessage } from '../../../shared/store/records.js';
import { markId } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { applyErasures } from '../../../shared/store/applyErasures.js';
import { noteCleaned } from '../records/noteCleaned.js';
import { namesOfErased, redactTitleOf } from '../records/redactTitle.js';
import { markThread } from '../work/claims.js';
import type { Documents } from '../work/change.js';
import { mergeHeader } from './mergeHeader.js';
import { mergeMessages, messagesRead } from './mergeMessages.js';
import type { Source } from './source.js';

/** What became of a source. */
export interface Ingested {
  /** Something of it was new. */
  isChanged: boolean;
  /** Its thread was deleted here, so no more of it was taken. */
  isDeleted: boolean;
}

/** What the caller notes with each batch of a source, in the transaction of the batch. */
export interface Beside {
  /** Ids of the documents it reads, by collection. */
  reads: Partial<Record<'sync' | 'work', readonly string[]>>;
  /** `isChanged`: something of the batch, or of the header, was new. */
  note(documents: Documents, isChanged: boolean): void;
}

/**
 * Merges a source into the records. Of two sources the later wins: in the header field by field, and as a whole for
 * each message (`mergeMessage` names the exceptions). What the source does not tell stays. Nothing of erased people is
 * taken. Each batch of messages is one transaction, which marks the thread where it changes anything. The first
 * transaction merges the header, too. Merging twice, or in another order, leaves the same records. Throws DeletedPlace
 * where the source's server or channel was deleted here, and SourceConflict where the source contradicts what is
 * recorded.
 */
export async function ingest(
  { commit }: Pick<IndexerDeps, 'commit'>,
  source: Source,
  batches: AsyncIterable<SourceMessage[]>,
  beside?: Beside,
): Promise<Ingested> {
  const threadId = source.told.thread?._id;
  let isChanged = false;
  const apply = async (messages: SourceMessage[], isFirst: boolean): Promise<boolean> => {
    faultPoint('beforeRecords');
    const outcome = await commit({
      reads: {
        ...readsOfHeader(source, beside),
        messages: messagesRead(messages),
        state: ['erasures'],
      },
      decide(documents) {
        const erased = documents.erased();
        const told = messages.map((message) => applyErasures(message, erased));
        // Only messages that were recorded before count. A thread that is imported for the first time may hold
        // nothing but messages of this person so far. An erasure that found a note there would remove the thread
        // before the rest comes.
        const isTakenOut = told.some(
          (message, n) => message !== messages[n] && isSaid(documents.get('messages', message._id)),
        );
        if (isTakenOut && threadId !== undefined) noteCleaned(documents, threadId, erased);
        const names = namesOfErased(messages, erased);
        return applyBatch(documents, { source, told, names, erased, isFirst, beside });
      },
    });
    if (outcome.isChanged) faultPoint('recordsStored');
    isChanged ||= outcome.isChanged;
    return outcome.isDeleted;
  };
  let isFirst = true;
  if (threadId !== undefined) {
    for await (const messages of batches) {
      if (await apply(messages, isFirst)) return { isChanged, isDeleted: true };
      isFirst = false;
    }
  }
  const isDeleted = isFirst && (await apply([], true));
  return { isChanged, isDeleted };
}

/** Whether a message is recorded, and says something. */
function isSaid(stored: MessageRecord | null): boolean {
  return stored !== null && !stored.deleted;
}

/** Marks that a change is likely to set are read with the others. Otherwise they would be read by themselves. */
function readsOfHeader({ told: { server, channel, thread } }: Source, beside?: Beside) {
  const { sync = [], work = [] } = beside?.reads ?? {};
  const marks = [markId('server', server._id), ...(thread ? [markId('thread', thread._id)] : [])];
  return {
    servers: [server._id],
    channels: [channel._id],
    threads: thread ? [thread._id] : [],
    work: [...marks, ...work],
    sync,
  };
}

function applyBatch(
  documents: Documents,
  {
    source,
    told,
    names,
    erased,
    isFirst,
    beside,
  }: {
    source: Source;
    told: SourceMessage[];
    names: readonly string[];
    erased: ErasedPeople;
    isFirst: boolean;
    beside: Beside | undefined;
  },
): Ingested {
  const { causes, owner, due } = source;
  const { thread } = source.told;
  const header = mergeHeader(documents, source, erased, isFirst);
  if (header.isDeleted) return { isChanged: false, isDeleted: true };
  const areMessagesChanged =
    thread !== null && mergeMessages(documents, { threadId: thread._id, causes }, told);
  const isThreadChanged =
    thread !== null &&
    (redactTitleOf(documents, thread._id, names, erased) || header.isThreadChanged);
  if (thread && (areMessagesChanged || isThreadChanged)) {
    markThread(documents, thread._id, { causes, owner, due });
  }
  const isChanged = areMessagesChanged || isThreadChanged || header.isChannelChanged;
  beside?.note(documents, isChanged);
  return { isChanged, isDeleted: false };
}
