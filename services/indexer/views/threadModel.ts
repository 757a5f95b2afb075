import type { ChannelRecord, MessageRecord, ThreadRecord } from '../../../shared/store/records.js';
import type { ThreadStatus } from '../../../shared/contract/threads.js';
import type { ServiceLinks } from './serviceLinks.js';
import { foldTag } from '../../../shared/store/listKeys.js';

/** What a thread's views are built from, apart from its messages. */
export interface ThreadModel {
  thread: ThreadRecord;
  /** The version of the views that are made of the thread. */
  version: number;
  channel: ChannelRecord;
  /** The first counted message. */
  first: MessageRecord;
  /**
   * The message that counts as starting the thread. Its author is shown as the thread's author. It is the starter
   * message, whose id is the thread's. Where that is not shown, it is the owner's first message; null where there is
   * none. Where no owner is known, it is `first`, if no earlier message was erased, deleted or left out; else null.
   */
  starting: MessageRecord | null;
  /** Folded names of the tags that mark a thread resolved. */
  resolvedTags: ReadonlySet<string>;
  /** Where readers find files. */
  links: ServiceLinks;
}

/** Names of the applied tags, in the order applied; tags that the forum no longer offers are left out. */
export function tagNames(thread: ThreadRecord, channel: ChannelRecord): string[] {
  const names = new Map(channel.availableTags?.map((tag) => [tag.id, tag.name]));
  return (thread.appliedTags ?? []).flatMap((id) => names.get(id) ?? []);
}

/** The first status that applies: locked, resolved (a tag marks it so), archived, open. */
export function threadStatus(
  thread: ThreadRecord,
  tags: readonly string[],
  resolvedTags: ReadonlySet<string>,
): ThreadStatus {
  if (thread.locked) return 'locked';
  if (tags.some((tag) => resolvedTags.has(foldTag(tag)))) return 'resolved';
  return thread.archived ? 'archived' : 'open';
}

/** The names in the setting RESOLVED_TAGS, which commas divide, folded for comparison. */
export function parseResolvedTags(setting: string): ReadonlySet<string> {
  return new Set(
    setting
      .split(',')
      .map(foldTag)
      .filter((name) => name !== ''),
  );
}
