import type { Document } from 'mongodb';

/** What a floor does for each request. */
export type FloorTask =
  /** Sends the bytes of a file with these headers; a 304 without a body. */
  | { kind: 'bytes'; file: string; headers: Record<string, string>; status: number }
  /** Fetches the stored body whose `_id` is the path, by one findOne, and sends its gzip bytes. */
  | { kind: 'body'; mongodbUrl: string }
  /** Fetches the stored items of a page by one find, joins and compresses them. The path is a PageQuestion as JSON. */
  | { kind: 'page'; mongodbUrl: string }
  /** Sends one of a file's SearchQuestions to Elasticsearch, and its answer on. The path is the question's number. */
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

/** One query for Elasticsearch: what goes into the address, and the body as JSON. */
export interface SearchQuestion {
  parameters: string;
  body: string;
}
