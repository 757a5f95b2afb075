import type { Document } from 'mongodb';

/** What a floor does for each request. */
export type FloorTask =
  /** Sends the bytes of a file with these headers. A 304 has no body. */
  | { kind: 'bytes'; file: string; headers: Record<string, string>; status: number }
  /** Reads the stored body whose `_id` is the path by one findOne, and sends its gzip bytes. */
  | { kind: 'body'; mongodbUrl: string }
  /** Reads the stored items of a page by one find, joins and compresses them. The path is a PageQuestion as JSON. */
  | { kind: 'page'; mongodbUrl: string }
  /**
   * Sends a SearchQuestion from a file to Elasticsearch, and passes on its answer. The path is the number of the
   * question.
   */
  | { kind: 'search'; url: string; file: string };

/** One find for the stored items of a page. */
export interface PageQuestion {
  collection: string;
  filter: Document;
  projection: Document;
  hint: string;
  sort: Record<string, 1 | -1>;
  limit: number;
}

/** One query for Elasticsearch: the address, and the body as JSON. */
export interface SearchQuestion {
  parameters: string;
  body: string;
}
