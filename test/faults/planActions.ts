import { dateToTimestamp } from '../../shared/exportFormat/timestamps.js';
import { anExport, anExportMessage, type RawExport } from '../support/exportFiles.js';
import type { ActionEnd, ActionRequest } from './archiveClient.js';
import {
  contentOf,
  isKept,
  KEPT_THREADS,
  notGone,
  type Gone,
  type Ledger,
  type LedgerMessage,
  type LedgerPerson,
  type LedgerThread,
} from './ledger.js';
import type { Random } from './random.js';

/** An action on the archive. It may begin once the actions that it depends on are acknowledged. */
export interface Action {
  name: string;
  request: ActionRequest;
  /** How many times it is requested at once. */
  times: number;
  /** Whether the actions that it depends on are acknowledged. */
  isDue: () => boolean;
  /** Whether it may end in this way, without success, because another action came first. */
  mayBe(end: ActionEnd): boolean;
  /** Records in the ledger that it was acknowledged. */
  acknowledge(at: number): void;
}

const EPOCH_MS = 1_420_070_400_000;
/** The time of a thread's first message: long ago, or within the days that rolling periods cover. */
const FIRST_MESSAGE_MS = { old: Date.UTC(2024, 0, 1), recent: Date.now() - 3 * 86_400_000 };
const FIRST_EXPORT_MS = Date.UTC(2026, 0, 1);
const MOST_MESSAGES = 12;
/** People who are never erased. Each thread keeps a message by one of them. */
const KEPT_PEOPLE = 4;

type Plan = (planner: Planner) => Action | null;

/** Kinds of actions, with how often they are wanted. A kind that is not possible yet returns null. */
const KINDS: [number, Plan][] = [
  [22, planNewThread],
  [40, planExport],
  [10, planDeleteMessage],
  [5, planDeleteThread],
  [1, planDeleteChannel],
  [3, planErasure],
  [2, planRebuild],
  [2, planViews],
  [3, planStats],
];

interface Planner {
  ledger: Ledger;
  random: Random;
  /** A number that rises with every export and every message. */
  next: () => number;
}

/** The actions of a seed, one after the other, without end. Planning an action enters it in the ledger. */
export function* planActions(ledger: Ledger, random: Random): Generator<Action, never> {
  let sequence = 0;
  const planner = { ledger, random, next: () => (sequence += 1) };
  const kinds = KINDS.flatMap(([weight, plan]) => Array.from({ length: weight }, () => plan));
  for (let n = 0; n < KEPT_THREADS; n += 1) yield planNewThread(planner)!;
  for (;;) {
    const action = random.pick(kinds)(planner);
    if (!action) continue;
    if (random.chance(0.04)) action.times = random.pick([2, 10]);
    yield action;
  }
}

function planNewThread(planner: Planner): Action | null {
  const { ledger, random } = planner;
  const channels = ledger.channels.filter(({ gone }) => !gone.isPlanned);
  const channel = random.pick(channels);
  const thread: LedgerThread = {
    id: '',
    channel,
    titleEdit: 0,
    messages: [],
    createdAt: null,
    gone: notGone(),
    age: ledger.threads.length % 2 === 0 ? 'old' : 'recent',
  };
  addMessage(planner, thread, random.pick(ledger.people));
  thread.id = thread.messages[0]!.id;
  addMessage(planner, thread, random.pick(ledger.people.slice(0, KEPT_PEOPLE)));
  ledger.threads.push(thread);
  return exportAction(planner, thread, thread.messages);
}

/** Plans a later export of a thread. It may overlap with earlier ones, have edits, or come too late. */
function planExport(planner: Planner): Action | null {
  const { ledger, random } = planner;
  const thread = random.pick(ledger.threads);
  const known = thread.messages.length;
  const added = known < MOST_MESSAGES ? random.below(3) : 0;
  for (let n = 0; n < added; n += 1) addMessage(planner, thread, random.pick(ledger.people));
  if (random.chance(0.15)) thread.titleEdit += 1;
  // An export of a deleted thread is not taken, so the channel's new name in it might never arrive.
  const isNeverDeleted = ledger.threads.indexOf(thread) < KEPT_THREADS;
  if (isNeverDeleted && random.chance(0.1)) thread.channel.nameEdit += 1;
  // New content is exported now, because there may be no later export.
  const from = Math.min(random.below(thread.messages.length), known);
  const told = thread.messages.slice(random.chance(0.5) ? 0 : from);
  for (const message of told) if (random.chance(0.3)) message.edit = planner.next();
  return exportAction(planner, thread, told);
}

function addMessage({ next }: Planner, thread: LedgerThread, author: LedgerPerson): void {
  const n = next();
  const at = FIRST_MESSAGE_MS[thread.age] + n * 1_000;
  const id = String((BigInt(at - EPOCH_MS) << 22n) | BigInt(n % 4_096));
  const message = { id, thread, author, edit: n, acknowledged: null, gone: notGone() };
  thread.messages.push(message);
}

function exportAction(planner: Planner, thread: LedgerThread, told: LedgerMessage[]): Action {
  const n = planner.next();
  const edits = told.map((message) => [message, message.edit] as const);
  const body = exportOf(planner, thread, { told, n });
  const request = { method: 'POST', path: '/admin/import', body } as const;
  const acknowledge = (at: number): void => {
    thread.createdAt ??= at;
    for (const [message, edit] of edits) {
      if (edit > (message.acknowledged?.edit ?? 0)) message.acknowledged = { edit, at };
    }
  };
  const mayBe = (end: ActionEnd): boolean => end === 'rejected' && thread.channel.gone.isPlanned;
  return { ...action('import', request, acknowledge), mayBe };
}

function exportOf(
  { ledger, random }: Planner,
  thread: LedgerThread,
  { told, n }: { told: LedgerMessage[]; n: number },
): RawExport {
  const { channel } = thread;
  const isRaw = random.chance(0.5);
  const messages = told.map((message) => {
    const mentioned = random.chance(0.1) ? random.pick(ledger.people).user : null;
    const linked = isRaw && random.chance(0.1) ? random.pick(ledger.threads) : null;
    const { id, author } = message;
    const words = [
      contentOf(message),
      ...(mentioned ? [isRaw ? `<@${mentioned.id}>` : `@${mentioned.nickname ?? ''}`] : []),
      ...(linked ? [`<#${linked.id}>`] : []),
    ];
    return anExportMessage({
      id,
      author: author.user,
      mentions: mentioned ? [mentioned] : [],
      content: words.join(' '),
    });
  });
  return {
    ...(isRaw && { contentFormat: 'raw' }),
    ...anExport({
      guild: { id: ledger.serverId, name: 'Server' },
      channel: {
        id: thread.id,
        categoryId: channel.id,
        category: `forum ${channel.nameEdit}`,
        name: `Anchor ${thread.id} title${thread.titleEdit}`,
      },
      messages,
    }),
    exportedAt: dateToTimestamp(new Date(FIRST_EXPORT_MS + n * 1_000)),
  };
}

function planDeleteMessage({ ledger, random }: Planner): Action | null {
  const thread = random.pick(ledger.threads);
  // The second message is never deleted, so no thread ends up empty.
  const message = random.pick(thread.messages.filter((_, n) => n !== 1));
  if (!isKept(message)) return null;
  return removal('delete message', `/admin/messages/${message.id}`, {
    gone: message.gone,
    isDue: () => message.acknowledged !== null,
    isGoneOtherwise: () => !isKept(thread) || message.author.gone.isPlanned,
  });
}

function planDeleteThread({ ledger, random }: Planner): Action | null {
  const thread = random.pick(ledger.threads);
  if (!isKept(thread) || ledger.threads.indexOf(thread) < KEPT_THREADS) return null;
  return removal('delete thread', `/admin/threads/${thread.id}`, {
    gone: thread.gone,
    isDue: () => thread.createdAt !== null,
    isGoneOtherwise: () => thread.channel.gone.isPlanned,
  });
}

function planDeleteChannel({ ledger }: Planner): Action | null {
  const channel = ledger.channels.at(-1)!;
  const threads = ledger.threads.filter((thread) => thread.channel === channel);
  const isFirst = ledger.threads
    .slice(0, KEPT_THREADS)
    .some((thread) => thread.channel === channel);
  if (channel.gone.isPlanned || isFirst || threads.length < 3) return null;
  return removal('delete channel', `/admin/channels/${channel.id}`, {
    gone: channel.gone,
    isDue: () => threads.some(({ createdAt }) => createdAt !== null),
  });
}

function planErasure({ ledger, random }: Planner): Action | null {
  const person = random.pick(ledger.people.slice(KEPT_PEOPLE));
  const left = ledger.people.slice(KEPT_PEOPLE).filter(({ gone }) => !gone.isPlanned);
  if (person.gone.isPlanned || left.length <= 4) return null;
  const path = `/admin/users/${person.user.id}`;
  return removal('erase user', path, { gone: person.gone, isDue: () => true });
}

function planRebuild(): Action {
  const request = { method: 'POST', path: '/admin/reindex', body: { target: 'search' } } as const;
  return action('rebuild search', request, () => undefined);
}

function planViews(): Action {
  const request = { method: 'POST', path: '/admin/reindex', body: { target: 'views' } } as const;
  return action('rebuild views', request, () => undefined);
}

function planStats({ ledger }: Planner): Action {
  const path = `/admin/servers/${ledger.serverId}/stats/refresh`;
  const refresh = action('refresh statistics', { method: 'POST', path }, () => undefined);
  return { ...refresh, isDue: () => ledger.threads.some(({ createdAt }) => createdAt !== null) };
}

function removal(
  name: string,
  path: string,
  {
    gone,
    isDue,
    isGoneOtherwise = () => false,
  }: { gone: Gone; isDue: () => boolean; isGoneOtherwise?: () => boolean },
): Action {
  gone.isPlanned = true;
  const acknowledge = (at: number): void => void (gone.since ??= at);
  const mayBe = (end: ActionEnd): boolean => end === 'absent' && isGoneOtherwise();
  return { ...action(name, { method: 'DELETE', path }, acknowledge), isDue, mayBe };
}

function action(name: string, request: ActionRequest, acknowledge: Action['acknowledge']): Action {
  return { name, request, times: 1, isDue: () => true, mayBe: () => false, acknowledge };
}
