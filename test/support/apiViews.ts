import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { Binary } from 'mongodb';
import { threadItem } from '../../services/indexer/views/threadViews.js';
import type { ThreadSummary, ThreadStatus } from '../../shared/contract/threads.js';
import type { LeaderboardEntry } from '../../shared/contract/users.js';
import type { Collections } from '../../shared/store/collections.js';
import { rankKey } from '../../shared/store/listKeys.js';
import { bodyOwner, pieceId } from '../../shared/store/pieces.js';
import type { BodyView, RankView, ThreadItemView } from '../../shared/store/views.js';

/** Stores a finished body under its name. It replaces an earlier one. */
export async function storeBody(
  { bodies }: Collections,
  name: string,
  value: object,
  more: Partial<BodyView> = {},
): Promise<void> {
  const text = JSON.stringify(value);
  const view = {
    revision: Date.now(),
    renderer: 1,
    etag: createHash('sha1').update(text).digest('base64url'),
    length: Buffer.byteLength(text),
    gzip: new Binary(gzipSync(text)),
    ...more,
  };
  await bodies.replaceOne({ _id: name }, view, { upsert: true });
}

/** Stores a finished body in pieces of `size` bytes. */
export async function storeChunkedBody(
  { bodies, pieces }: Collections,
  name: string,
  value: object,
  size: number,
): Promise<void> {
  const text = JSON.stringify(value);
  const whole = gzipSync(text);
  const revision = Date.now();
  const chunks = Math.ceil(whole.length / size);
  for (let number = 0; number < chunks; number += 1) {
    const data = new Binary(whole.subarray(number * size, (number + 1) * size));
    const _id = pieceId(bodyOwner(name, revision), number);
    await pieces.insertOne({ _id, data, last: number === chunks - 1 });
  }
  await bodies.replaceOne(
    { _id: name },
    {
      revision,
      renderer: 1,
      etag: createHash('sha1').update(text).digest('base64url'),
      length: Buffer.byteLength(text),
      chunks,
    },
    { upsert: true },
  );
}

export interface ItemSketch {
  threadId: string;
  serverId?: string;
  channelId?: string;
  status?: ThreadStatus;
  tags?: string[];
  messageCount?: number;
  lastActivityAt?: string;
}

/** A thread in the lists. */
export function aThreadItem(sketch: ItemSketch): ThreadItemView {
  const { threadId, serverId = '10', channelId = '100', status = 'open', tags = [] } = sketch;
  const { messageCount = 3, lastActivityAt = '2026-01-02T03:04:05.678Z' } = sketch;
  const summary: ThreadSummary = {
    id: threadId,
    title: `Thread ${threadId}`,
    slug: `thread-${threadId}`,
    preview: 'How do I start? It says “no such file”.',
    status,
    messageCount,
    author: {
      id: '7',
      username: 'ada',
      displayName: 'Ada',
      avatar: 'https://cdn.discordapp.com/embed/avatars/0.png',
    },
    tags,
    serverId,
    channelId,
    channelName: 'help',
    pinned: false,
    createdAt: '2026-01-01T00:00:00.000Z',
    lastActivityAt,
  };
  const facts = { status, messages: messageCount, botMessages: 0, reactions: [] };
  return threadItem(summary, facts, { linksTo: [], unshown: [] }, 1);
}

/** The line of a person on the leaderboards of one server. */
export function aRank(
  serverId: string,
  userId: string,
  count: number,
  { isBot = false, board = 'messages/all' } = {},
): RankView {
  const line: Omit<LeaderboardEntry, 'rank'> = {
    userId,
    username: `user${userId}`,
    displayName: `User ${userId}`,
    avatar: 'https://cdn.discordapp.com/embed/avatars/0.png',
    isBot,
    count,
  };
  return {
    _id: `${serverId}/${board}/${userId}`,
    member: `${serverId}/${userId}`,
    version: 1,
    boards: [`${serverId}/${board}/all`, ...(isBot ? [] : [`${serverId}/${board}/humans`])],
    key: rankKey(count, userId),
    count,
    item: JSON.stringify(line).slice(1),
  };
}
