import type { Collection } from 'mongodb';

/** A server that the bot is in, as it was last seen. */
export interface SyncServer {
  _id: string;
  kind: 'server';
  name: string;
  checkedAt: Date;
  /** Why nothing of it is archived. */
  problem: string | null;
  /** The ids of the opt-out roles by which its members were last judged. */
  optOutRoles?: string[];
}

/** A forum that the bot can see, and how far the list of its archived threads was read. */
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
  /**
   * Changes whenever the forum is forgotten. A reading of its list that began before then no longer notes its place.
   */
  token?: string;
  /** Where the current reading of the list goes on: with threads that were archived before this time. */
  before?: string;
  /** When the newest thread of the current reading was archived. */
  newest?: string;
  /** All threads that were archived before this time are known, except for `unreadable`. */
  listedTo?: string;
  /** Which thread of the list could not be read, and why. */
  unreadable?: string;
}

/** What is to be fetched of a thread: new messages, or everything once more. */
export type SyncTodo = 'new' | 'all';

/** A thread that the platform told of, and how far its messages were fetched. */
export interface SyncThread {
  _id: string;
  kind: 'thread';
  serverId: string;
  channelId: string;
  /**
   * A digest of what the platform last told of the thread, without erased people, and when it was told. Empty where
   * nothing is known to have been told. The record of the thread holds what was told.
   */
  digest: string;
  asOf: number;
  /** The platform's count, without the first message. Some of its counts stop at 50. */
  messageCount: number;
  totalSent: number;
  lastMessageId: string | null;
  /** A key that sorts threads by their last message. */
  recent: string;
  /** The id of the last message that was fetched; `0` before the first. */
  after: string;
  /** How many messages were fetched. While a thread is read once more, it counts those of this reading. */
  fetched: number;
  todo?: SyncTodo;
  /** Changes whenever `todo` is set. Work that began with an older token does not end the `todo`. */
  token?: string;
  /**
   * While a thread is read once more, the time of the first answer. Messages that were not told since then may be
   * deleted.
   */
  since?: number;
  /** When the last complete reading of the thread began, or failed for good. Absent before. */
  readAt?: Date;
  /** After a fault, the thread is not fetched before this time. */
  dueAt?: Date;
  /** Why the thread, or a message of it, cannot be fetched. */
  problem?: string;
}

/** The place in a thread before its first message. */
export const NOTHING_FETCHED = { after: '0', fetched: 0 };

/**
 * Somebody on a server, and when their roles there were last told. If these roles leave them out, `optOuts` says so.
 */
export interface SyncMember {
  /** `<serverId>/<userId>` */
  _id: string;
  kind: 'member';
  serverId: string;
  userId: string;
  /** The time of what was told last; 0 where nothing was told, as for somebody who has left the server. */
  asOf: number;
  /**
   * When their roles were last asked for. NEVER_CHECKED until they are known, and again when the opt-out roles have
   * changed.
   */
  checkedAt: Date;
}

/** Marks something as not yet checked. It sorts before all other times. */
export const NEVER_CHECKED = new Date(0);

/** A message that is to be read again by itself, because events told of reactions to it, or of votes in its poll. */
export interface SyncMessage {
  /** `message/ID`: the first message of a thread has the thread's id. */
  _id: string;
  kind: 'message';
  messageId: string;
  threadId: string;
  serverId: string;
  channelId: string;
  dueAt: Date;
  /** Changes whenever the message is noted again. A reading that began before then does not end it. */
  token: string;
}

/** A file of the platform that is to be copied: its copy, or why there is none. */
export interface SyncFile {
  /** `file/<name>`, such as `file/attachments/MESSAGE/ATTACHMENT`. */
  _id: string;
  kind: 'file';
  /** What shows it: `thread/ID`, `user/ID` or `server/ID`. */
  of: string;
  /** The link from which it was copied, or, with a problem, is to be copied. */
  source: string;
  /** Its copy in the mirror. With a problem, it is the copy of the picture that was shown before. */
  copy?: { key: string; bytes: number; type: string; sha256: string };
  /** Set while it is being removed. Its copy is no longer given out. */
  gone?: true;
  /** Why there is no copy from this link. */
  problem?: string;
  /** When it is tried again, after `tries` failures. Absent where trying again would fail, too. */
  dueAt?: Date;
  tries?: number;
}

/** The id of the record of a file. */
export function fileRecordId(name: string): string {
  return `file/${name}`;
}

/** A request to sync something now: all servers, one server, one channel, or one thread once more. */
export interface SyncRequestRecord {
  _id: string;
  kind: 'request';
  at: Date;
  serverId?: string;
  channelId?: string;
  threadId?: string;
  /** Its lists are read. Its threads may still have messages to be fetched. */
  listed?: boolean;
  /** Why it cannot be done. */
  problem?: string;
  /** For a request for all servers, those that are still to be listed. Absent where all are. */
  left?: string[];
  /** When it is served again. The platform was away, `tries` times in a row. */
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
