import type { estypes } from '@elastic/elasticsearch';
import { MAX_SIMILAR } from '../../../shared/contract/similar.js';
import { documentId } from '../../../shared/store/searchIndex.js';

/** The texts by which a thread is compared. `opening` is the beginning of its conversation. */
export interface Subject {
  threadId: string;
  serverId: string;
  channelId: string;
  title: string;
  opening: string;
}

/**
 * How many threads and stretches of conversation an index holds. That is needed to tell rare words from common ones.
 */
export interface IndexSize {
  threads: number;
  stretches: number;
}

/**
 * Words in more than this part of all texts do not count as telling, whatever the language. In a tiny archive, a word
 * may be in ten texts and still count.
 */
const COMMON_PART = 0.3;
const FEW = 10;

/** How many times as much a thread of the same forum counts. A forum has a topic, so its threads share more than words. */
const SAME_FORUM = 2;

/**
 * A query for listed threads of the same server that share telling words with the subject. The best match is first, and
 * of equal ones the newest. The result depends only on the index and the subject.
 */
export function similarRequest(
  subject: Subject,
  size: IndexSize,
): Pick<estypes.SearchRequest, 'query' | 'sort' | 'size' | '_source' | 'track_total_hits'> {
  const { threadId, serverId, channelId } = subject;
  const sharing = {
    bool: {
      must: [sharedTexts(subject, size)],
      filter: [{ term: { kind: 'thread' } }, { term: { serverId } }],
      must_not: [{ ids: { values: [documentId('thread', threadId)] } }],
    },
  };
  const sameForum = { filter: { term: { channelId } }, weight: SAME_FORUM };
  return {
    query: { function_score: { query: sharing, functions: [sameForum] } },
    sort: ['_score', { createdAt: 'desc' }, { idKey: 'desc' }],
    size: MAX_SIMILAR,
    _source: ['threadId'],
    track_total_hits: false,
  };
}

/** Matches threads that share telling words with the subject, in the title or within one stretch of conversation. */
function sharedTexts(
  { title, opening }: Subject,
  { threads, stretches }: IndexSize,
): estypes.QueryDslQueryContainer {
  const inTitle = sharedWords('heading', title, threads, { boost: 3 });
  const inStretch = sharedWords('stretches.text', `${title}\n${opening}`, stretches, {
    // A single word is not enough. Of up to eight words, two must match; of more words, a quarter of them.
    minimum_should_match: '0<2 8<25%',
  });
  const nested = { path: 'stretches', score_mode: 'max', query: inStretch } as const;
  return { bool: { should: [inTitle, { nested }] } };
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
      // Each word counts twice: itself, and its stem.
      max_query_terms: 50,
      ...more,
    },
  };
}
