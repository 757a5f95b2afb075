import type { Change } from '../support/discord/model/changes.js';
import type { Message } from '../support/discord/model/entities.js';
import type { DiscordModel } from '../support/discord/model/model.js';

/** Words for what happened, by the operation's name. Where the change names no message, they stand alone. */
const WORDS: Record<string, string> = {
  post: 'a message',
  forward: 'a forwarded message',
  edit: 'a message was edited',
  removeFiles: 'files were removed',
  preview: 'a link has its preview',
  vote: 'a vote',
  react: 'a reaction',
  unreact: 'reactions taken back',
  clearReactions: 'all reactions removed',
  clearReaction: 'reactions with one emoji removed',
  setPinned: 'pinned or unpinned',
  deleteMessage: 'a message was deleted',
  deleteMessages: 'its last messages were deleted',
  createThread: 'a new thread',
  retitle: 'this is its new title',
  tag: 'other tags',
  archive: 'archived',
  lock: 'locked or unlocked',
  pinThread: 'pinned or unpinned in its forum',
  reopen: 'opened again',
  deleteThread: 'the thread was deleted',
  endPoll: 'a poll has ended',
};

const LONGEST_QUOTE = 60;

/** Describes an operation by a change that it made; null where no reader of a thread would see the change. */
export function tellChange(
  model: DiscordModel,
  operation: string,
  change: Change,
): { threadId: string; text: string } | null {
  const words = WORDS[operation];
  if (words === undefined) return null;
  if ('thread' in change) return { threadId: change.thread.id, text: title(change.thread, words) };
  const threadId = 'message' in change ? change.message.channelId : channelOf(change);
  const thread = threadId === null ? undefined : model.threads.get(threadId);
  if (!thread) return null;
  const text = 'message' in change ? `${words} (${quoted(model, change.message)})` : words;
  return { threadId: thread.id, text: title(thread, text) };
}

function channelOf(change: Change): string | null {
  return change.kind === 'messagesDeleted' ? change.channelId : null;
}

function title({ name }: { name: string }, text: string): string {
  return `“${name}”: ${text}`;
}

function quoted(model: DiscordModel, { authorId, webhook, content }: Message): string {
  const user = model.users.get(authorId);
  const name = webhook?.name ?? user?.globalName ?? user?.username ?? 'Somebody';
  const line = content.replace(/\s+/g, ' ').trim() || '(no text)';
  return `${name}: ${line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE)}…` : line}`;
}
