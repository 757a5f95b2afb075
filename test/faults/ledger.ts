import type { ExportUser } from '../../shared/exportFormat/exportTypes.js';
import { anExportUser } from '../support/exportFiles.js';

/** A message as the actions planned so far leave it, and what of them was acknowledged. */
export interface LedgerMessage {
  id: string;
  thread: LedgerThread;
  author: LedgerPerson;
  /** Rises with each edit; stands in the content. */
  edit: number;
  acknowledged: { edit: number; at: number } | null;
  gone: Gone;
}

export interface LedgerThread {
  id: string;
  /** When it is from. */
  age: 'old' | 'recent';
  channel: LedgerChannel;
  titleEdit: number;
  messages: LedgerMessage[];
  /** When its first import was acknowledged (ms of performance.now). */
  createdAt: number | null;
  gone: Gone;
}

export interface LedgerPerson {
  user: ExportUser;
  gone: Gone;
}

export interface LedgerChannel {
  id: string;
  nameEdit: number;
  gone: Gone;
}

/** Whether something is to be removed, and since when its removal is acknowledged (ms of performance.now). */
export interface Gone {
  isPlanned: boolean;
  since: number | null;
}

/** Everything that was asked of an archive, and what was acknowledged of it. */
export interface Ledger {
  serverId: string;
  channels: LedgerChannel[];
  people: LedgerPerson[];
  threads: LedgerThread[];
}

const PEOPLE = 14;

/** So many threads, the first ones, are never deleted: search must find them at every moment. */
export const KEPT_THREADS = 6;

/** A ledger of an archive with nothing in it. The last channel is there to be deleted. */
export function createLedger(): Ledger {
  return {
    serverId: '900000000000000001',
    channels: ['910000000000000001', '910000000000000002', '910000000000000003'].map((id) => ({
      id,
      nameEdit: 0,
      gone: notGone(),
    })),
    people: Array.from({ length: PEOPLE }, (_, n) => ({ user: person(n), gone: notGone() })),
    threads: [],
  };
}

export function notGone(): Gone {
  return { isPlanned: false, since: null };
}

/** Whether nothing takes a thread, or a message, away. */
export function isKept(one: LedgerThread | LedgerMessage): boolean {
  if ('thread' in one) {
    return !one.gone.isPlanned && !one.author.gone.isPlanned && isKept(one.thread);
  }
  return !one.gone.isPlanned && !one.channel.gone.isPlanned;
}

/** Since when it is acknowledged that a message, or a thread, is gone; null while it may be seen. */
export function goneSince(one: LedgerThread | LedgerMessage): number | null {
  const reasons =
    'thread' in one
      ? [one.gone.since, one.author.gone.since, goneSince(one.thread)]
      : [one.gone.since, one.channel.gone.since];
  const times = reasons.filter((since) => since !== null);
  return times.length === 0 ? null : Math.min(...times);
}

/** What a message says: a word that all share, its edit and its id. */
export function contentOf({ id, edit }: LedgerMessage): string {
  return `anchor edit${edit} of m${id}`;
}

/** Reads what contentOf wrote; null for anything else. */
export function parseContent(content: string): { id: string; edit: number } | null {
  const [, edit, id] = /anchor edit(\d+) of m(\d+)/.exec(content) ?? [];
  return edit && id ? { id, edit: Number(edit) } : null;
}

function person(n: number): ExportUser {
  const id = String(100_000_000_000_000_100n + BigInt(n));
  return anExportUser({ id, name: `person${n}x`, nickname: `Person ${n}x`, avatarUrl: '' });
}
