import type { Client } from '@elastic/elasticsearch';
import { documentId, type SearchDocument } from '../../../../shared/store/searchIndex.js';
import { differingFields } from '../differingFields.js';

/** Ids of those documents that an index holds with other fields; one that it does not hold, but for a tombstone, is no matter of this. */
export async function differingDocuments(
  elasticsearch: Client,
  index: string,
  documents: SearchDocument[],
): Promise<string[]> {
  if (documents.length === 0) return [];
  const { docs } = await elasticsearch.mget<{ kind?: string }>({
    ...{ index, stored_fields: ['conversation'], _source: true },
    ids: documents.map(idOf),
  });
  return documents.flatMap((document, n) => {
    const found = docs[n];
    if (!found || !('found' in found) || !found.found || !found._source) return [];
    if (found._source.kind === 'tombstone') return [];
    // The conversation is kept beside the source; an empty one is not kept at all.
    const { conversation = [] } = (found.fields ?? {}) as { conversation?: string[] };
    const stored = document.kind === 'thread' ? { ...found._source, conversation } : found._source;
    return differingFields(stored, document).length > 0 ? [idOf(document)] : [];
  });
}

function idOf(document: SearchDocument): string {
  return document.kind === 'message'
    ? documentId('message', document.messageId)
    : documentId('thread', document.threadId);
}
