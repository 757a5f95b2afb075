import type { estypes } from '@elastic/elasticsearch';
import { MAX_SIMILAR } from '../../../shared/contract/similar.js';
import { documentId } from '../../../shared/store/searchIndex.js';

/** What a thread is compared by. `opening` is what is said first in it. */
export interface Subject {
  threadId: string;
  serverId: string;
  title: string;
  opening: string;
}

/** How many threads an index holds, and how many stretches of conversation: tells rare words from common ones. */
export interface IndexSize {
  threads: number;
  stretches: number;
}

/**
 * Words in more than this part of all texts tell nothing, in whatever language; in a tiny archive the words of ten
 * still do.
 */
const COMMON_PART = 0.3;
const FEW = 10;

/**
 * Listed threads of the same server that share telling words with the subject, best first; equals newest first. The
 * result depends on the index and the subject alone.
 */
export function similarRequest(
  subject: Subject,
  size: IndexSize,
): Pick<estypes.SearchRequest, 'query' | 'sort' | 'size' | '_source' | 'track_total_hits'> {
  const { threadId, serverId, title, opening } = subject;
  return {
    query: {
      bool: {
        should: [
          sharedWords('heading', title, size.threads, { boost: 3 }),
          {
            nested: {
              path: 'stretches',
              score_mode: 'max',
              query: sharedWords('stretches.text', `${title}\n${opening}`, size.stretches, {
                // Two of up to eight words must match, as a single word is not enough. Of more words, a quarter must.
                minimum_should_match: '0<2 8<25%',
              }),
            },
          },
        ],
        minimum_should_match: 1,
        filter: [{ term: { kind: 'thread' } }, { term: { serverId } }],
        must_not: [{ ids: { values: [documentId('thread', threadId)] } }],
      },
    },
    sort: ['_score', { createdAt: 'desc' }, { idKey: 'desc' }],
    size: MAX_SIMILAR,
    _source: ['threadId'],
    track_total_hits: false,
  };
}

function sharedWords(
  field: string,
  like: string,
  texts: number,
  more: { boost?: number; minimum_should_match?: string },
): estypes.QueryDslQueryContainer {
  return {
    more_like_this: {
      fields: [field],
      like: [like],
      analyzer: 'inflected',
      min_term_freq: 1,
      min_doc_freq: 2,
      max_doc_freq: Math.max(FEW, Math.floor(texts * COMMON_PART)),
      // A word and the mark of its stem are two.
      max_query_terms: 50,
      ...more,
    },
  };
}
