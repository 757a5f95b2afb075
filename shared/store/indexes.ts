import type { IndexDescription } from 'mongodb';
import type { Collections } from './collections.js';
import { LIST_SORTS, type ListField } from './listKeys.js';
import { NEVER } from './work.js';

type Keys = Record<string, 1 | -1>;

/** The name of the index that serves a list sorted by `field`. The API uses it as a hint. */
export function listIndexName(field: ListField): string {
  return `scopes_${field}`;
}

/** The name of the index that serves a leaderboard. The API uses it as a hint. */
export const RANK_INDEX = 'boards_key';

/** The names of the indexes from which the threads of a server are counted. The indexer uses them as hints. */
export const THREAD_COUNTS = 'server_id_counts';
export const THREAD_REACTIONS = 'server_id_reactions';

/** By this index, MongoDB removes each document at the time in its `expiresAt`. */
const expiring: IndexDescription = {
  ...index('expiresAt', { expiresAt: 1 }),
  expireAfterSeconds: 0,
};

const SYNC_COUNTS: Keys = {
  kind: 1,
  serverId: 1,
  channelId: 1,
  todo: 1,
  problem: 1,
  messageCount: 1,
  fetched: 1,
};

/**
 * Every index of the archive by collection. Only the index of the audit trail is missing: expireAudit makes it. An
 * index that changes its shape needs a new name, because MongoDB refuses two shapes under one name.
 */
const INDEXES: Partial<Record<keyof Collections, IndexDescription[]>> = {
  threads: [
    index('server_asOf', { serverId: 1, asOf: -1 }),
    index('channelId', { channelId: 1 }),
    index('ownerId', { ownerId: 1 }),
  ],
  messages: [
    index('thread_order', { threadId: 1, order: 1 }),
    index('author', { 'author.id': 1 }),
    where('deleted', index('deleted', { threadId: 1, deleted: 1 })),
    where('interaction.userId', index('commands', { 'interaction.userId': 1 })),
    where('forwarded.content', index('forwards_from', { 'reference.channelId': 1 })),
    { ...index('notices', { threadId: 1 }), partialFilterExpression: { counted: false } },
  ],
  channels: [index('serverId', { serverId: 1 })],
  threadItems: [
    ...listFields().map(listIndex),
    index('linksTo', { linksTo: 1 }),
    // The threads of a server, and all of them, are counted from this index alone.
    index(THREAD_COUNTS, {
      serverId: 1,
      _id: 1,
      channelId: 1,
      'facts.status': 1,
      'facts.messages': 1,
      'facts.botMessages': 1,
    }),
    where('facts.reactions.0', index(THREAD_REACTIONS, { serverId: 1, _id: 1 })),
  ],
  contributions: [
    index('threadId', { threadId: 1 }),
    index('user_recent', { userId: 1, lastAt: -1 }),
  ],
  members: [
    index('server_top', { serverId: 1, topKey: -1 }),
    index('userId', { userId: 1 }),
    index('periodDay_lastAt', { periodDay: 1, lastAt: 1 }),
  ],
  ranks: [index(RANK_INDEX, { boards: 1, key: 1 }), index('member', { member: 1 })],
  work: [
    index('kind_due', { kind: 1, due: 1 }),
    // Quarantined marks are not in it.
    {
      ...index('kind_pending_at', { kind: 1, at: 1 }),
      partialFilterExpression: { due: { $lt: NEVER } },
    },
    where('tries', index('kind_tries_due', { kind: 1, tries: 1, due: 1 })),
    where('causes', index('causes_kind_due', { causes: 1, kind: 1, due: 1 })),
    where('failure.id', index('failure', { 'failure.id': 1 })),
  ],
  similar: [index('similarTo', { similarTo: 1 })],
  importFiles: [
    // The state of an import is counted from this index alone.
    index('import_counts', { importId: 1, state: 1, _id: 1, messages: 1, finishedAt: 1 }),
    index('state_queued', { state: 1, queuedAt: 1 }),
  ],
  refreshTokens: [expiring, index('user_created', { userId: 1, createdAt: -1 })],
  oauthStates: [expiring],
  sync: [
    where('todo', index('todo_due_channel', { todo: 1, dueAt: 1, recent: -1, channelId: 1 })),
    index('kind_recent', { kind: 1, recent: -1 }),
    index('kind_readAt', { kind: 1, readAt: 1 }),
    index('kind_server', { kind: 1, serverId: 1 }),
    index('kind_channel', { kind: 1, channelId: 1 }),
    index('kind_checked', { kind: 1, checkedAt: 1 }),
    where('of', index('of', { of: 1 })),
    where('dueAt', index('kind_dueAt', { kind: 1, dueAt: 1 })),
    where('problem', index('kind_problem', { kind: 1, problem: 1 })),
    // The threads that the platform told are counted from this index alone.
    { ...index('thread_counts', SYNC_COUNTS), partialFilterExpression: { kind: 'thread' } },
  ],
  // Only erasures that are not done have it.
  erasures: [where('userId', index('waiting', { userId: 1 }))],
};

/** Creates the indexes of INDEXES that do not exist yet. */
export async function ensureIndexes(collections: Collections): Promise<void> {
  for (const [name, specs] of Object.entries(INDEXES)) {
    await collections[name as keyof Collections].createIndexes(specs);
  }
}

function index(name: string, key: Keys): IndexDescription {
  return { name, key };
}

/** An index of the same shape that holds only documents which have `field`. */
function where(field: string, spec: IndexDescription): IndexDescription {
  return { ...spec, partialFilterExpression: { [field]: { $exists: true } } };
}

function listFields(): ListField[] {
  return [...new Set(Object.values(LIST_SORTS).map((sort) => sort.field))];
}

function listIndex(field: ListField): IndexDescription {
  const spec = index(listIndexName(field), { scopes: 1, [field]: 1 });
  return field === 'unansweredKey' ? where(field, spec) : spec;
}
