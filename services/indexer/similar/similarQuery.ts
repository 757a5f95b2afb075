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

/** Words by which a thread is not compared: with titles, and with stretches of conversation. */
export interface Untelling {
  inTitle: string[];
  inText: string[];
}

/** By which words threads are compared: as they are written, and their stems. */
export const ANALYZER = 'inflected';

/** How many times as much a thread of the same forum counts. A forum has a topic, so its threads share more than words. */
const SAME_FORUM = 2;

/**
 * A query for listed threads of the same server that share telling words with the subject. The best match is first, and
 * of equal ones the newest.
 */
export function similarRequest(
  subject: Subject,
  untelling: Untelling,
): Pick<estypes.SearchRequest, 'query' | 'sort' | 'size' | '_source' | 'track_total_hits'> {
  const { channelId } = subject;
  const { filter, must_not } = othersOf(subject);
  const sharing = { bool: { must: [sharedTexts(subject, untelling)], filter, must_not } };
  const sameForum = { filter: { term: { channelId } }, weight: SAME_FORUM };
  return {
    query: { function_score: { query: sharing, functions: [sameForum] } },
    sort: ['_score', { createdAt: 'desc' }, { idKey: 'desc' }],
    size: MAX_SIMILAR,
    _source: ['threadId'],
    track_total_hits: false,
  };
}

/** The text of a thread that is compared with stretches of other conversations. */
export function textOf({ title, opening }: Subject): string {
  return `${title}\n${opening}`;
}

/** Matches the other listed threads of a subject's server. */
export function othersOf({
  threadId,
  serverId,
}: Subject): Required<Pick<estypes.QueryDslBoolQuery, 'filter' | 'must_not'>> {
  return {
    filter: [{ term: { kind: 'thread' } }, { term: { serverId } }],
    must_not: [{ ids: { values: [documentId('thread', threadId)] } }],
  };
}

/** Matches threads that share telling words with the subject, in the title or within one stretch of conversation. */
function sharedTexts(
  subject: Subject,
  { inTitle, inText }: Untelling,
): estypes.QueryDslQueryContainer {
  const sharedTitle = sharedWords('heading', subject.title, { boost: 3, stop_words: inTitle });
  const sharedStretch = sharedWords('stretches.text', textOf(subject), {
    // A single word is not enough. Of up to eight words, two must match; of more words, a quarter of them.
    minimum_should_match: '0<2 8<25%',
    stop_words: inText,
  });
  const nested = { path: 'stretches', score_mode: 'max', query: sharedStretch } as const;
  return { bool: { should: [sharedTitle, { nested }] } };
}

function sharedWords(
  field: string,
  like: string,
  more: Pick<estypes.QueryDslMoreLikeThisQuery, 'boost' | 'minimum_should_match' | 'stop_words'>,
): estypes.QueryDslQueryContainer {
  return {
    more_like_this: {
      fields: [field],
      like: [like],
      analyzer: ANALYZER,
      min_term_freq: 1,
      min_doc_freq: 2,
      // Each word counts twice: itself, and its stem.
      max_query_terms: 50,
      ...more,
    },
  };
}
