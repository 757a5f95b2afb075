import type { Client, estypes } from '@elastic/elasticsearch';
import { SearchUnavailable } from '../stores/sendBulk.js';
import { askOneByOne } from './askOneByOne.js';
import { ANALYZER, othersOf, textOf, type Subject, type Untelling } from './similarQuery.js';

/** Words in more messages than this are taken for words that other threads hold, too. */
const MANY = 100;
/** How many words of a thread are looked for in others at most: the rarest ones. */
const MOST_LOOKED_FOR = 400;

/**
 * Words in more than this part of all titles, or of all messages, are common, whatever the language. In a tiny archive,
 * a word may be in ten of them and still tell something.
 */
const COMMON_PART = { heading: 0.3, content: 0.13 };
const FEW = 10;

/**
 * Finds for each thread the words by which it is not compared, in the order of the threads. Some words are common. The
 * others are in no other thread of the server.
 *
 * Elasticsearch counts how many documents hold a word. These counts include documents that were replaced, until their
 * segment is merged. So the count of a word that only one thread has rises when the thread is built again, as if
 * another thread had the word, too. That is why rare words are looked for in the other threads. Common words are told
 * by the part of all documents that hold them. Replaced documents are in both numbers of that part, and hardly change
 * it.
 *
 * Throws SearchUnavailable where the words cannot be counted for now.
 */
export async function untellingWords(
  elasticsearch: Client,
  index: string,
  subjects: readonly Subject[],
): Promise<Untelling[]> {
  const { docs } = await elasticsearch.mtermvectors({
    docs: subjects.map((subject) => ({
      _index: index,
      doc: { heading: subject.title, content: textOf(subject) },
      per_field_analyzer: { heading: ANALYZER, content: ANALYZER },
    })),
    fields: ['heading', 'content'],
    term_statistics: true,
    field_statistics: true,
    offsets: false,
    positions: false,
    payloads: false,
  });
  const texts = docs.map(({ term_vectors: vectors, error }) => {
    if (error) throw new SearchUnavailable(`Similar threads: ${error.reason ?? 'failed'}`);
    return vectors ?? {};
  });
  const rare = texts.map(({ heading, content }) => ({
    inTitle: rareWords(heading),
    inText: rareWords(content),
  }));
  const found = await askOneByOne<unknown>(
    elasticsearch,
    index,
    subjects.map((subject, n) => heldByOthers(subject, rare[n]!)),
  );
  return texts.map(({ heading, content }, n) => {
    const common = commonWords(heading, COMMON_PART.heading);
    const own = (part: keyof Untelling): string[] => {
      const { buckets = [] } = (found[n]?.aggregations?.[part] ?? {}) as Partial<Counted>;
      return rare[n]![part].filter((_word, place) => buckets[place]?.doc_count === 0);
    };
    return {
      inTitle: [...own('inTitle'), ...common],
      inText: [...own('inText'), ...common, ...commonWords(content, COMMON_PART.content)],
    };
  });
}

interface Counted {
  buckets: { doc_count: number }[];
}

function rareWords(vector: estypes.TermvectorsTermVector | undefined): string[] {
  return Object.entries(vector?.terms ?? {})
    .map(([word, { doc_freq: count = 0 }]) => ({ word, count }))
    .filter(({ count }) => count <= MANY)
    .toSorted((one, other) => one.count - other.count)
    .slice(0, MOST_LOOKED_FOR)
    .map(({ word }) => word);
}

function commonWords(vector: estypes.TermvectorsTermVector | undefined, part: number): string[] {
  const most = Math.max(FEW, (vector?.field_statistics?.doc_count ?? 0) * part);
  return Object.entries(vector?.terms ?? {}).flatMap(([word, { doc_freq: count = 0 }]) =>
    count > most ? [word] : [],
  );
}

/** Counts for each word the other threads of the server that hold it in their title, or in their conversation. */
function heldByOthers(
  subject: Subject,
  { inTitle, inText }: Untelling,
): estypes.SearchSearchRequestBody {
  const titles = inTitle.map((word) => ({ term: { heading: word } }));
  const texts = inText.map((word) => {
    return { nested: { path: 'stretches', query: { term: { 'stretches.text': word } } } };
  });
  return {
    query: { bool: othersOf(subject) },
    size: 0,
    track_total_hits: false,
    // Elasticsearch refuses an aggregation without filters.
    aggs: {
      ...(titles.length > 0 && { inTitle: { filters: { filters: titles } } }),
      ...(texts.length > 0 && { inText: { filters: { filters: texts } } }),
    },
  };
}
