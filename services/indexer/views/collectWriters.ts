import type { MessageRecord } from '../../../shared/store/records.js';
import type { RenderContext } from '../content/resolveReferences.js';

/**
 * Makes a function that is given a thread's messages in order. It returns the names of those who wrote a message up to
 * this one, by user id. What is looked up later gives the same, however many messages have come since.
 */
export function collectWriters(): (message: MessageRecord) => RenderContext['users'] {
  const writers = new Map<string, { name: string; since: number }>();
  let count = 0;
  return ({ author }) => {
    const until = count;
    count += 1;
    if (!writers.has(author.id)) {
      writers.set(author.id, { name: author.displayName, since: until });
    }
    return {
      get(id) {
        const writer = writers.get(id);
        return writer && writer.since <= until ? writer.name : undefined;
      },
    };
  };
}
