import { firstCharacters } from '../../../shared/store/previews.js';
import type { MessageRecord } from '../../../shared/store/records.js';
import type { MessageDocument, ThreadDocument } from '../../../shared/store/searchIndex.js';
import type { ContributionView, ThreadItemView } from '../../../shared/store/views.js';
import type { LinkTargets } from '../content/resolveReferences.js';
import { collectWriters } from './collectWriters.js';
import { presentMessage, renderContext } from './presentMessage.js';
import {
  conversationText,
  messageDocument,
  searchableText,
  threadDocument,
} from './searchDocuments.js';
import { tallyPeople } from './tallyPeople.js';
import type { ThreadModel } from './threadModel.js';
import {
  detailClosing,
  detailOpening,
  threadHead,
  threadItem,
  threadSummary,
} from './threadViews.js';

/**
 * The most links that are kept of a thread. The thread is built again when the target of a kept link appears, changes
 * its name or goes. Further links show no name.
 */
const MAX_LINKS = 1_000;

/** What some messages refer to: ids of threads and channels, and those of them that are in this archive. */
export interface MessageLinks {
  ids: readonly string[];
  targets: LinkTargets;
}

/** The views of some of a thread's messages. */
export interface FoldedMessages {
  documents: MessageDocument[];
  /** Renders the messages, and gives their part of the thread's body. */
  bodyText: () => string;
}

/** The views of a thread that are complete when all its messages are folded. */
export interface ThreadViews {
  /** The end of the thread's body, after its messages. */
  closing: string;
  /** The body of its participants. */
  participants: string;
  item: ThreadItemView;
  contributions: ContributionView[];
  document: ThreadDocument;
  /** What its messages link to: id -> the name it was shown by, undefined while it is not in the archive. */
  links: ReadonlyMap<string, string | undefined>;
}

/** One pass over a thread's records. */
export interface ThreadFold {
  /** The beginning of the thread's body, before its messages. */
  opening: string;
  /** Takes the next messages; they come in order. */
  add(messages: readonly MessageRecord[], links: MessageLinks): FoldedMessages;
  /** Called once, after the last message, with the ids of all messages that forward what may not be shown. */
  end(unshownForwards?: string[]): ThreadViews;
}

/**
 * Makes everything that is read of a thread from its records: body, participants, list item, contributions and search
 * documents, in one pass and in bounded memory. Building, rebuilding and verification all use it, and differ only in
 * what they do with what it gives.
 */
export function foldThread(model: ThreadModel): ThreadFold {
  const { thread, version, links: files } = model;
  const head = threadHead(model);
  const startId = model.starting?._id;
  const people = tallyPeople(files);
  const conversation = conversationText();
  const writersUntil = collectWriters();
  const links = new Map<string, string | undefined>();
  const counted = { messages: 0, lastAt: model.first.createdAt };
  let preview = '';

  return {
    opening: detailOpening(head),
    add(messages, { ids, targets: found }) {
      for (const id of ids) {
        // Earlier messages show the name that was found first. So that name is the one to compare later.
        if (links.size < MAX_LINKS && !links.has(id)) links.set(id, found.get(id)?.name);
      }
      const targets = new Map([...found].filter(([id]) => links.has(id)));
      const before = counted.messages > 0 ? ',' : '';
      const said = messages.map((message) => {
        const around = { targets, guildId: thread.serverId, writers: writersUntil(message), files };
        const text = searchableText(message, () => renderContext(message, around));
        return { message, around, text };
      });
      if (before === '') preview = firstCharacters(said[0]?.text.shown ?? '');
      for (const { message, text } of said) {
        people.add(message, message._id === startId);
        conversation.add(message, text.shown);
        counted.messages += 1;
        counted.lastAt = message.createdAt;
      }
      return {
        documents: said.map(({ message, text }) => messageDocument(head, message, text)),
        bodyText() {
          const texts = said.map(({ message, around }) =>
            JSON.stringify(presentMessage(message, around)),
          );
          return before + texts.join(',');
        },
      };
    },
    end(unshown = []) {
      const summary = threadSummary(head, preview, counted);
      const facts = { status: summary.status, ...people.facts() };
      return {
        closing: detailClosing(summary),
        participants: JSON.stringify(people.participants()),
        item: threadItem(summary, facts, { linksTo: [...links.keys()], unshown }, version),
        contributions: people.contributions(thread._id, thread.serverId, version),
        document: threadDocument(head, summary, conversation),
        links,
      };
    },
  };
}
