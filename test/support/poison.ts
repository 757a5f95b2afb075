import type { FindCursor } from 'mongodb';
import type { IndexerDeps } from '../../services/indexer/deps.js';
import type { MessageRecord } from '../../shared/store/records.js';

type Find = IndexerDeps['collections']['messages']['find'];

/** The same dependencies, except that `strike` is called when the content of a thread is read for its build. */
export function poisoned(deps: IndexerDeps, threadId: string, strike: () => void): IndexerDeps {
  const { messages } = deps.collections;
  const find = (...args: Parameters<Find>): FindCursor<MessageRecord> => {
    const cursor = messages.find(...args) as FindCursor<MessageRecord>;
    const [filter] = args;
    if (!filter.counted || !filter.deleted) return cursor;
    const trap = trapOnce(threadId, strike);
    const readBuffered = cursor.readBufferedDocuments.bind(cursor);
    // The driver does not map the documents that it returns here.
    cursor.readBufferedDocuments = (number) => readBuffered(number).map(trap);
    return cursor.map(trap);
  };
  const trapped = new Proxy(messages, {
    get(target, name) {
      if (name === 'find') return find;
      const found: unknown = Reflect.get(target, name, target);
      return typeof found === 'function' ? (found.bind(target) as unknown) : found;
    },
  });
  return { ...deps, collections: { ...deps.collections, messages: trapped } };
}

/** Sets the trap in the first message of the thread. */
function trapOnce(threadId: string, strike: () => void) {
  let isSet = false;
  return (message: MessageRecord): MessageRecord => {
    if (isSet || message.threadId !== threadId) return message;
    isSet = true;
    const { content } = message;
    const get = (): string => {
      strike();
      return content;
    };
    return Object.defineProperty(message, 'content', { get, enumerable: true, configurable: true });
  };
}
