import { setTimeout as pause } from 'node:timers/promises';
import { createRandom } from '../faults/random.js';
import { randomOperation } from '../support/discord/history/randomOperation.js';
import type { Change } from '../support/discord/model/changes.js';
import type { DiscordDouble } from '../support/discord/types.js';
import { isArchivable } from '../support/syncRig.js';
import { tellChange } from './tellChange.js';

/** The longest pause between two operations (ms). */
const LONGEST_PAUSE_MS = 2_500;
/** How long the demonstration waits for a change to be shown before it goes on (ms). */
const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 10;

/** The double in which the community talks, and the API that shows it. */
export interface Community {
  discord: DiscordDouble;
  /** The address of the API. */
  apiUrl: string;
  seed: number;
  print: (line: string) => void;
  signal: AbortSignal;
}

/**
 * Lets the community talk, one operation after the other. For each it prints how long it took until the API showed it.
 * It does not print what happens in forums that are not public. Ends when the signal is aborted, and resolves with the
 * times (ms).
 */
export async function letThemTalk(community: Community): Promise<number[]> {
  const { discord, seed, signal } = community;
  const random = createRandom(seed);
  const times: number[] = [];
  const { model } = discord;
  while (!signal.aborted) {
    const shown = await statesOf(community);
    const change = changeOne(discord, () => randomOperation(model, random, { keepsAccess: true }));
    const isPublic = change && (shown.has(change.threadId) || isIn(discord, change.threadId));
    if (!isPublic) continue;
    const before = shown.get(change.threadId) ?? '404';
    const tookMs = await tellWhenShown(community, change, before);
    if (tookMs !== null) times.push(tookMs);
    await pause(random.below(LONGEST_PAUSE_MS), undefined, { signal }).catch(() => undefined);
  }
  return times;
}

type Told = NonNullable<ReturnType<typeof tellChange>>;

/** Runs an operation now, and returns the first of its changes that a reader could see. */
function changeOne({ model }: DiscordDouble, operate: () => string | null): Told | null {
  const changes: Change[] = [];
  const end = model.onChange((change) => {
    const isHidden = 'message' in change && !isArchivable(change.message);
    if (!isHidden) changes.push(change);
  });
  model.clock.advanceTo(Date.now());
  const name = operate();
  end();
  for (const change of changes) {
    const told = name === null ? null : tellChange(model, name, change);
    if (told) return told;
  }
  return null;
}

function isIn({ model }: DiscordDouble, threadId: string): boolean {
  return model.publicThreads().some(({ thread }) => thread.id === threadId);
}

/** How long it took until a change was shown (ms); null where it was not shown in time. */
async function tellWhenShown(
  community: Community,
  { threadId, text }: Told,
  before: string,
): Promise<number | null> {
  const { apiUrl, print } = community;
  const time = new Date().toTimeString().slice(0, 8);
  const began = performance.now();
  const isSeen = await untilChanged(community, threadId, before);
  // The wait was cut short, so nobody knows whether the change would have been shown in time.
  if (!isSeen && community.signal.aborted) return null;
  const tookMs = isSeen ? Math.round(performance.now() - began) : null;
  const took = tookMs === null ? 'not shown' : `${tookMs} ms`;
  print(`${time} ${took.padStart(9)}  ${text}`);
  print(`${' '.repeat(20)}${apiUrl}/api/threads/${threadId}`);
  return tookMs;
}

/** Waits until the API shows a thread differently than before. False where that takes too long. */
async function untilChanged(
  community: Community,
  threadId: string,
  before: string,
): Promise<boolean> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end && !community.signal.aborted;) {
    if ((await stateOf(community, threadId)) !== before) return true;
    await pause(LOOK_EVERY_MS);
  }
  return false;
}

/** What the API shows now of each thread that everybody may read. */
async function statesOf(community: Community): Promise<Map<string, string>> {
  const ids = community.discord.model.publicThreads().map(({ thread }) => thread.id);
  const states = await Promise.all(ids.map((id) => stateOf(community, id)));
  return new Map(ids.map((id, index) => [id, states[index]!]));
}

/** The entity tag of a thread's page, or its status where it has none. */
async function stateOf({ apiUrl, signal }: Community, threadId: string): Promise<string> {
  try {
    const response = await fetch(`${apiUrl}/api/threads/${threadId}`, { method: 'HEAD' });
    return response.headers.get('etag') ?? String(response.status);
  } catch (error) {
    // The API may end before the community does.
    if (signal.aborted) return '';
    throw error;
  }
}
