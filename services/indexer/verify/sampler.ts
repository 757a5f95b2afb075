import type { Collections } from '../../../shared/store/collections.js';

/** Tells whether a thread is among about `sample` of all: the same ones each time, spread over all ids. */
export async function sampler(
  { threads }: Pick<Collections, 'threads'>,
  sample: number | 'all',
): Promise<(threadId: string) => boolean> {
  if (sample === 'all') return () => true;
  const total = Math.max(1, await threads.estimatedDocumentCount());
  const limit = (sample / total) * 2 ** 32;
  return (threadId) => hashOf(threadId) < limit;
}

/** FNV-1a, mixed once more: a whole number below 2^32. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
