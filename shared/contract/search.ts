/** SPEC 2.9 and 4.8: search. */
import type { ThreadStatus } from './threads.js';

export const SEARCH_TYPES = ['threads', 'messages', 'all'] as const;
export type SearchType = (typeof SEARCH_TYPES)[number];

/** Escaped HTML with `<mark>` around what matched. */
export interface Highlights {
  title?: string;
  content?: string;
}

/** SPEC 2.9. `score` is absolute, 0 to 1. */
export interface ThreadResult {
  id: string;
  title: string;
  slug: string;
  preview: string;
  status: ThreadStatus;
  author: { id: string; username: string; displayName: string };
  tags: string[];
  serverId: string;
  channelId: string;
  channelName: string;
  messageCount: number;
  score: number;
  highlights: Highlights;
  createdAt: string;
}

/** SPEC 2.9. `contentPreview` is the first 200 characters of the content. */
export interface MessageResult {
  id: string;
  content: string;
  contentPreview: string;
  threadId: string;
  threadTitle: string;
  author: { id: string; username: string; displayName: string };
  serverId: string;
  channelId: string;
  channelName: string;
  score: number;
  highlights: Highlights;
  createdAt: string;
}

/** SPEC 4.8. */
export interface SearchResponse {
  query: string;
  results: { threads: ThreadResult[]; messages: MessageResult[] };
  total: number;
  threadCount: number;
  messageCount: number;
  /** A corrected query that matches, when this one matches nothing. */
  suggestion: string | null;
}
