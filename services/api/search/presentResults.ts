import type { estypes } from '@elastic/elasticsearch';
import type {
  Highlights,
  MessageResult,
  SearchResponse,
  ThreadResult,
} from '../../../shared/contract/search.js';
import { firstCharacters } from '../../../shared/store/previews.js';
import { clipPassage } from './clipPassage.js';
import type { MessageDocument, ThreadDocument } from '../../../shared/store/searchIndex.js';

/** A thread's document as a page of results reads it: without its conversation. */
type ShownThread = Omit<ThreadDocument, 'stretches'>;

/** A document as a page of results reads it. */
export type Hit = estypes.SearchHit<ShownThread | MessageDocument>;

/**
 * Splits hits into the two kinds, in their order. `passages` holds the passages of threads, by id. `scoreOf` turns
 * Elasticsearch's score into the one that is shown.
 */
export function presentResults(
  hits: readonly Hit[],
  passages: ReadonlyMap<string, string>,
  scoreOf: (given: number) => number,
): SearchResponse['results'] {
  const threads: ThreadResult[] = [];
  const messages: MessageResult[] = [];
  for (const hit of hits) {
    const document = hit._source!;
    const score = scoreOf(hit._score ?? 0);
    if (document.kind === 'message') messages.push(presentMessage(document, hit, score));
    else threads.push(presentThread(document, hit, score, passages.get(document.threadId)));
  }
  return { threads, messages };
}

function presentThread(
  document: ShownThread,
  hit: Hit,
  score: number,
  passage: string | undefined,
): ThreadResult {
  return {
    id: document.threadId,
    title: document.title,
    slug: document.slug,
    preview: document.preview,
    status: document.status,
    author: presentAuthor(document),
    tags: document.tags,
    serverId: document.serverId,
    channelId: document.channelId,
    channelName: document.channelName,
    messageCount: document.messageCount,
    score,
    highlights: presentHighlights(hit, passage),
    createdAt: document.createdAt,
  };
}

function presentMessage(document: MessageDocument, hit: Hit, score: number): MessageResult {
  return {
    id: document.messageId,
    content: document.markdown ?? document.content,
    contentPreview: firstCharacters(document.content),
    threadId: document.threadId,
    threadTitle: document.title,
    author: presentAuthor(document),
    serverId: document.serverId,
    channelId: document.channelId,
    channelName: document.channelName,
    score,
    highlights: presentHighlights(hit, passageOf(hit)),
    createdAt: document.createdAt,
  };
}

function presentAuthor(document: Hit['_source'] & {}): ThreadResult['author'] {
  return {
    id: document.authorId,
    username: document.authorUsername,
    displayName: document.authorDisplayName,
  };
}

/** The passage in which a message matched; undefined where its content did not match. */
export function passageOf({ highlight = {} }: Pick<Hit, 'highlight'>): string | undefined {
  const content = highlight['content']?.[0];
  return content === undefined ? undefined : withSlashes(clipPassage(content));
}

function presentHighlights({ highlight = {} }: Hit, content: string | undefined): Highlights {
  const title = highlight['title']?.[0];
  return {
    ...(title === undefined ? {} : { title: withSlashes(title) }),
    ...(content === undefined ? {} : { content }),
  };
}

/** Unescapes slashes. Escaping them, as Elasticsearch does, only makes paths and addresses hard to read. */
function withSlashes(escaped: string): string {
  return escaped.replaceAll('&#x2F;', '/');
}
