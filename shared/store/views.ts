/** The read model: each document answers one question. The indexer writes it, and the API reads it as it is. */
import type { Binary } from 'mongodb';
import type { ThreadStatus } from '../contract/threads.js';
import type { AuthorSnapshot } from './records.js';

/**
 * A finished response body. `_id` names the question, such as `thread/ID` (see bodyKinds.ts), or is SERVER_LIST. `gzip`
 * holds the whole body. Where a body has more than 1 MiB compressed, it is stored in `chunks` pieces instead (see
 * pieces.ts).
 */
export interface BodyView {
  _id: string;
  /** The version of the build that made the body. An older body never replaces a newer one. */
  revision: number;
  /** The version of the renderer that made it. */
  renderer: number;
  /**
   * The strong entity tag of the identity form, without quotes. The gzip form has the same tag with `-gzip` at the end.
   */
  etag: string;
  /** How many bytes it has before compression. */
  length: number;
  gzip?: Binary;
  chunks?: number;
  /** Of a thread's body: which of its search documents were sent (stores/sentDocuments.ts). The API never reads it. */
  sent?: Binary;
  /** Earlier versions set this in place of removing a body. The API answers 404. */
  gone?: boolean;
}

/**
 * A thread in the lists. `scopes` holds one token for each filter combination that the thread belongs to (see
 * listScope). So every list is one range of the index `{scopes, <sort>Key}`. The keys are fixed-width strings that sort
 * as the list does.
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
  /** Only threads with at most one counted message have it. */
  unansweredKey?: string;
  title: string;
  /** The ThreadSummary as JSON text. */
  item: string;
  /** What statistics need of the thread. The API never reads it. */
  facts: ThreadFacts;
  /** The ids of threads and channels that its messages link to. */
  linksTo: string[];
  /** The ids of its messages that forward something which may not be shown. */
  unshownForwards?: string[];
}

export interface ThreadFacts {
  status: ThreadStatus;
  messages: number;
  botMessages: number;
  /** How often each emoji was used. A custom emoji is named by its id, and any other by its character. */
  reactions: { emoji: string; count: number }[];
}

/** A person as profiles and leaderboards show them. `avatar` is the link as it was told. */
export type ShownPerson = Omit<AuthorSnapshot, 'discriminator'>;

/** One person's part in one thread. `_id` is `<threadId>/<userId>`. */
export interface ContributionView {
  _id: string;
  threadId: string;
  userId: string;
  serverId: string;
  revision: number;
  messages: number;
  /** 1 where they started the thread, else 0. */
  threads: number;
  /** How many reactions their messages received. */
  reactions: number;
  firstAt: Date;
  lastAt: Date;
  /** The author of their last message. But the display name is the last one that a source told. */
  author: Omit<ShownPerson, 'id'>;
  /** When they last wrote under a display name that a source told. Absent where no source told any. */
  namedAt?: Date;
  /** The same numbers for each UTC day (days since the epoch), for the rolling periods. */
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
  /** The link as it was told. */
  avatar: string;
  messages: number;
  threads: number;
  reactions: number;
  /** A key that sorts by messages, then by threads (both descending), and then by id. */
  topKey: string;
  /** The UTC day for which the ranks of rolling periods were counted. Absent where no period holds anything. */
  periodDay?: number;
  firstAt: Date;
  lastAt: Date;
}

/**
 * A line of a leaderboard. `boards` holds `<serverId>/<type>/<period>/all`, and for people `…/humans`, too. `key` sorts
 * by count, descending, and then by id, ascending. `item` is the JSON of the line without its rank and opening brace.
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

/**
 * The threads that the body `similar/ID` shows, best first. It is kept so that a changed thread finds the lists it is
 * in.
 */
export interface SimilarView {
  /** The thread's id. */
  _id: string;
  version: number;
  similarTo: string[];
}

/** An import: a set of files that are handed over together. It is recorded once every file is stored. */
export interface ImportRecord {
  _id: string;
  createdAt: Date;
  files: number;
}

/** A file of an import, and what became of it. `_id` is the id of its upload. */
export interface ImportFileRecord {
  _id: string;
  importId: string;
  /**
   * The name under which it was handed in. The exporter names files after threads, so the name is removed once the file
   * is taken. A rejected file keeps it. But an erasure removes the person's names from it, and the deletion of its
   * thread removes the title.
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
