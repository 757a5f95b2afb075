import type { Collection } from 'mongodb';

/** A server that the bot is in, as the last look at it found it. */
export interface SyncServer {
  _id: string;
  kind: 'server';
  name: string;
  checkedAt: Date;
  /** Why nothing of it is archived. */
  problem: string | null;
  /** Ids of the roles of OPT_OUT_ROLE by which its members were last judged. */
  optOutRoles?: string[];
}

/** A forum that the bot knows of, and how far the list of its archived threads was read. */
export interface SyncChannel {
  _id: string;
  kind: 'channel';
  serverId: string;
  name: string;
  checkedAt: Date;
  /** Why it is not archived; null while it is. */
  problem: string | null;
  /** When the platform last refused to tell whether it still exists; absent while it is listed. */
  refusedAt?: Date;
  /** New whenever the forum is forgotten: a list that was begun before notes its place no more. */
  token?: string;
  /** Where the list under way goes on: the platform tells what was archived before this moment. */
  before?: string;
  /** When the newest thread of the list under way was archived. */
  newest?: string;
  /** Every thread that was archived before this moment is known, but for `unreadable`. */
  listedTo?: string;
  /** Which thread of the list could not be read, and why. */
  unreadable?: string;
}

/** What is still to be fetched of a thread: what came since, or everything once more. */
export type SyncTodo = 'new' | 'all';

/** A thread that the platform told of, and how far its messages were fetched. */
export interface SyncThread {
  _id: string;
  kind: 'thread';
  serverId: string;
  channelId: string;
  /**
   * A digest of what was last told of it, without erased people, and when that was. It is empty where nothing is known to
   * be told. What it says stands in its record.
   */
  digest: string;
  asOf: number;
  /** As the platform counts, without the first message; some counts stop at 50. */
  messageCount: number;
  totalSent: number;
  lastMessageId: string | null;
  /** Sorts by the last message. */
  recent: string;
  /** The last message fetched; `0` before the first. */
  after: string;
  /** Messages fetched so far; of a thread that is read once more, by this reading. */
  fetched: number;
  todo?: SyncTodo;
  /** New whenever `todo` is set: what is done for an older one does not end it. */
  token?: string;
  /** Of a thread that is read once more, the time of the first answer: messages not told since may be deleted. */
  since?: number;
  /** When the last reading of all of it began that was not cut off, or failed for good; absent before. */
  readAt?: Date;
  /** Not fetched before, after a fault. */
  dueAt?: Date;
  /** Why it, or a message of it, cannot be fetched. */
  problem?: string;
}

/** How far a thread was fetched of which no message was, or which is to be read from its first message on. */
export const NOTHING_FETCHED = { after: '0', fetched: 0 };

/** Somebody on a server, and when their roles there were last told. Who is left out for them stands in `optOuts`. */
export interface SyncMember {
  /** `<serverId>/<userId>` */
  _id: string;
  kind: 'member';
  serverId: string;
  userId: string;
  /** The time of what was told last; 0 where nothing was told, such as of somebody who has left the server. */
  asOf: number;
  /** NEVER_CHECKED until the platform was asked, or has told by itself, and where other roles opt out than before. */
  checkedAt: Date;
}

/** The time of a look that is still to come: it sorts before all others. */
export const NEVER_CHECKED = new Date(0);

/** A message to be read again by itself: its reactions were counted by events, or somebody has voted. */
export interface SyncMessage {
  /** `message/ID`: the first message of a thread has the thread's id. */
  _id: string;
  kind: 'message';
  messageId: string;
  threadId: string;
  serverId: string;
  channelId: string;
  dueAt: Date;
  /** New with each change: a read that was begun before does not end it. */
  token: string;
}

/** A file of the platform that is to be copied: its copy, or why there is none. */
export interface SyncFile {
  /** `file/<name>`, such as `file/attachments/MESSAGE/ATTACHMENT`. */
  _id: string;
  kind: 'file';
  /** What shows it: `thread/ID`, `user/ID` or `server/ID`. */
  of: string;
  /** The link it was copied from, or is to be copied from where there is a problem. */
  source: string;
  /** Its copy in the mirror. Beside a problem, it is of the picture that was shown before. */
  copy?: { key: string; bytes: number; type: string; sha256: string };
  /** It is being removed: nobody is given its copy any more. */
  gone?: true;
  /** Why there is no copy from this link. */
  problem?: string;
  /** Tried again then, so many tries having failed; absent where the next one would fail, too. */
  dueAt?: Date;
  tries?: number;
}

/** The id of the record of a file. */
export function fileRecordId(name: string): string {
  return `file/${name}`;
}

/** A wish to have something synced now: all servers, one server, one channel, or one thread once more. */
export interface SyncRequestRecord {
  _id: string;
  kind: 'request';
  at: Date;
  serverId?: string;
  channelId?: string;
  threadId?: string;
  /** Its lists are read; what is left is in the threads. */
  listed?: boolean;
  /** Why it cannot be done. */
  problem?: string;
  /** Of a request for all servers, those that are still to be listed; absent for all. */
  left?: string[];
  /** Served again then: the platform was away, so many times in a row. */
  dueAt?: Date;
  tries?: number;
  /** Since when its job has found no process that speaks to the platform. */
  unservedSince?: Date;
}

/** The documents of the collection `sync`, by kind: what is known of the platform, and what is asked for. */
export interface SyncRecords {
  server: SyncServer;
  channel: SyncChannel;
  thread: SyncThread;
  member: SyncMember;
  message: SyncMessage;
  file: SyncFile;
  request: SyncRequestRecord;
}

export type SyncRecord = SyncRecords[keyof SyncRecords];

/** The collection `sync`, typed for the documents of one kind. A filter without an id has to name the kind. */
export function syncOf<Kind extends keyof SyncRecords>(
  sync: Collection<SyncRecord>,
  _kind: Kind,
): Collection<SyncRecords[Kind]> {
  return sync as unknown as Collection<SyncRecords[Kind]>;
}
