/**
 * The read model: documents shaped for one question each, written by the indexer, read by the API as they are.
 */
import type { Binary } from 'mongodb';
import type { ThreadStatus } from '../contract/threads.js';
import type { AuthorSnapshot } from './records.js';

/**
 * A finished response body. `_id` names the question, such as `thread/ID` (see bodyKinds.ts), or SERVER_LIST. `gzip`
 * holds the whole body. A body of more than 1 MiB compressed is cut into `chunks` pieces instead (see pieces.ts).
 */
export interface BodyView {
  _id: string;
  /** The revision the body was built from: an older one never replaces a newer one. */
  revision: number;
  /** Version of the renderer that made it. */
  renderer: number;
  /** Strong entity tag of the identity form, without quotes; the gzip form's adds `-gzip`. */
  etag: string;
  /** Bytes before compression. */
  length: number;
  gzip?: Binary;
  chunks?: number;
  /** Of a thread's body: which search documents of it were sent (stores/sentDocuments.ts). Never read by the API. */
  sent?: Binary;
  /** Left by earlier versions in place of a body that was removed: answered as 404. */
  gone?: boolean;
}

/**
 * A thread in the lists. `scopes` holds one token for each filter combination it belongs to (see listScope), so that
 * every list is one range scan of `{scopes, <sort>Key}`; the keys are fixed-width strings that sort as the list does.
 */
export interface ThreadItemView {
  _id: string;
  revision: number;
  serverId: string;
  channelId: string;
  scopes: string[];
  latestKey: string;
  popularKey: string;
  activeKey: string;
  /** Only on threads with at most one counted message. */
  unansweredKey?: string;
  title: string;
  /** The ThreadSummary as JSON text. */
  item: string;
  /** What statistics need of the thread; never read by the API. */
  facts: ThreadFacts;
  /** Ids of threads and channels that its messages link to. */
  linksTo: string[];
  /** Ids of its messages that forward what may not be shown. */
  unshownForwards?: string[];
}

export interface ThreadFacts {
  status: ThreadStatus;
  messages: number;
  botMessages: number;
  /** How many reactions of each emoji: of a custom one its id, else the character. */
  reactions: { emoji: string; count: number }[];
}

/** Somebody as profiles and leaderboards show them. `avatar` is the link that was told. */
export type ShownPerson = Omit<AuthorSnapshot, 'discriminator'>;

/** One person's part in one thread. `_id` is `<threadId>/<userId>`. */
export interface ContributionView {
  _id: string;
  threadId: string;
  userId: string;
  serverId: string;
  revision: number;
  messages: number;
  /** 1 when they started the thread. */
  threads: number;
  /** Reactions that their messages received. */
  reactions: number;
  firstAt: Date;
  lastAt: Date;
  /** Who they are in their last message, except that the display name is the last one that a source told. */
  author: Omit<ShownPerson, 'id'>;
  /** When they last wrote by a display name that a source told; absent where none did. */
  namedAt?: Date;
  /** The same by UTC day (days since the epoch), for the rolling periods. */
  days: { day: number; messages: number; threads: number; reactions: number }[];
}

/** One person's totals on one server. `_id` is `<serverId>/<userId>`. */
export interface MemberView {
  _id: string;
  serverId: string;
  userId: string;
  version: number;
  username: string;
  isBot: boolean;
  /** The link that was told. */
  avatar: string;
  messages: number;
  threads: number;
  reactions: number;
  /** Sorts by messages, then threads (both descending), then id. */
  topKey: string;
  /** The UTC day whose rolling periods the ranks were counted for, while a period holds anything; else absent. */
  periodDay?: number;
  firstAt: Date;
  lastAt: Date;
}

/**
 * One line of a leaderboard. `boards` holds `<serverId>/<type>/<period>/all`, and `…/humans` for people; `key` sorts
 * by count descending, then id ascending; `item` is the line's JSON without its rank and opening brace.
 */
export interface RankView {
  _id: string;
  member: string;
  version: number;
  boards: string[];
  key: string;
  count: number;
  item: string;
}

/** Which threads the body `similar/ID` shows, best first; kept so that a thread that changes finds them. */
export interface SimilarView {
  /** The thread's id. */
  _id: string;
  version: number;
  similarTo: string[];
}

/** An import: a set of files handed over together. The command line records it when every file is stored. */
export interface ImportRecord {
  _id: string;
  createdAt: Date;
  files: number;
}

/** A file of an import and what became of it. `_id` is the upload's id. */
export interface ImportFileRecord {
  _id: string;
  importId: string;
  /**
   * As it was handed in. The exporter names files after threads, so it is forgotten once the file is taken. Of a file that
   * was rejected it stays: an erasure takes the person's names out of it, and the deletion of its thread the title.
   */
  name?: string;
  bytes: number;
  state: 'queued' | 'imported' | 'unchanged' | 'rejected';
  reason?: string;
  threadId?: string;
  messages?: number;
  queuedAt: Date;
  finishedAt?: Date;
}
