import type { estypes } from '@elastic/elasticsearch';
import type { Highlights, MessageResult, ThreadResult } from '../../../shared/contract/search.js';
import { firstCharacters } from '../../../shared/store/previews.js';
import { clipPassage } from './clipPassage.js';
import type { MessageDocument, ThreadDocument } from '../../../shared/store/searchIndex.js';

/** A document as a page of results reads it: a thread without its conversation. */
export type Hit = estypes.SearchHit<Omit<ThreadDocument, 'conversation'> | MessageDocument>;

/** Hits in their order, split into the two kinds. */
export function presentResults(hits: readonly Hit[]): {
  threads: ThreadResult[];
  messages: MessageResult[];
} {
  const threads: ThreadResult[] = [];
  const messages: MessageResult[] = [];
  for (const hit of hits) {
    const document = hit._source!;
    if (document.kind === 'thread') threads.push(presentThread(document, hit));
    else messages.push(presentMessage(document, hit));
  }
  return { threads, messages };
}

function presentThread(document: Omit<ThreadDocument, 'conversation'>, hit: Hit): ThreadResult {
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
    score: presentScore(hit),
    highlights: presentHighlights(hit),
    createdAt: document.createdAt,
  };
}

function presentMessage(document: MessageDocument, hit: Hit): MessageResult {
  return {
    id: document.messageId,
    content: document.content,
    contentPreview: document.preview ?? firstCharacters(document.content),
    threadId: document.threadId,
    threadTitle: document.title,
    author: presentAuthor(document),
    serverId: document.serverId,
    channelId: document.channelId,
    channelName: document.channelName,
    score: presentScore(hit),
    highlights: presentHighlights(hit),
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

/** Elasticsearch keeps scores as 32-bit numbers: back to the four decimals that the query gave. */
function presentScore(hit: Hit): number {
  return Math.round((hit._score ?? 0) * 10_000) / 10_000;
}

function presentHighlights({ highlight = {} }: Hit): Highlights {
  const title = highlight['title']?.[0];
  const content = (highlight['conversation'] ?? highlight['content'])?.[0];
  return {
    ...(title === undefined ? {} : { title: withSlashes(title) }),
    ...(content === undefined ? {} : { content: clipPassage(withSlashes(content)) }),
  };
}

/** The server escapes slashes too, which only makes paths and addresses hard to read. */
function withSlashes(escaped: string): string {
  return escaped.replaceAll('&#x2F;', '/');
}
