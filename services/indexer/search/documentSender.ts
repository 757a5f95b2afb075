import type { MessageDocument, ThreadDocument } from '../../../shared/store/searchIndex.js';
import type { SearchWriter } from '../stores/searchWriter.js';

/** Sends the search documents of one thread as they come. */
export interface DocumentSender {
  add(documents: MessageDocument[]): Promise<void>;
  /** Sends the messages that are left, with the thread's own document. */
  end(document: ThreadDocument): Promise<void>;
}

/**
 * The sender keeps each batch back until the next one comes. The documents of an ordinary thread then go in one
 * request.
 */
export function documentSender(search: SearchWriter, revision: number): DocumentSender {
  let unsent: MessageDocument[] = [];
  return {
    async add(documents) {
      await search.write(unsent, revision);
      unsent = documents;
    },
    end: (document) => search.write([...unsent, document], revision),
  };
}
