import type { ExportUser } from '../../shared/exportFormat/exportTypes.js';
import { anExportUser } from '../support/exportFiles.js';

/** A message as the planned actions leave it, with what of them is acknowledged. */
export interface LedgerMessage {
  id: string;
  thread: LedgerThread;
  author: LedgerPerson;
  /** Rises with each edit. It is part of the content. */
  edit: number;
  acknowledged: { edit: number; at: number } | null;
  gone: Gone;
}

export interface LedgerThread {
  id: string;
  /** When it was written. */
  age: 'old' | 'recent';
  channel: LedgerChannel;
  titleEdit: number;
  messages: LedgerMessage[];
  /** When its first import was acknowledged (ms, as performance.now). */
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

/** Whether something is to be removed, and when its removal was acknowledged (ms, as performance.now). */
export interface Gone {
  isPlanned: boolean;
  since: number | null;
}

/** Everything that was asked of an archive, with what of it was acknowledged. */
export interface Ledger {
  serverId: string;
  channels: LedgerChannel[];
  people: LedgerPerson[];
  threads: LedgerThread[];
}

const PEOPLE = 14;

/** The first threads, so many, are never deleted. Search has to find them at any time. */
export const KEPT_THREADS = 6;

/** A ledger of an empty archive. The last channel is there to be deleted. */
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

/** Whether no action removes a thread or message. */
export function isKept(one: LedgerThread | LedgerMessage): boolean {
  if ('thread' in one) {
    return !one.gone.isPlanned && !one.author.gone.isPlanned && isKept(one.thread);
  }
  return !one.gone.isPlanned && !one.channel.gone.isPlanned;
}

/** When it was acknowledged that a message or thread is gone; null while it may be seen. */
export function goneSince(one: LedgerThread | LedgerMessage): number | null {
  const reasons =
    'thread' in one
      ? [one.gone.since, one.author.gone.since, goneSince(one.thread)]
      : [one.gone.since, one.channel.gone.since];
  const times = reasons.filter((since) => since !== null);
  return times.length === 0 ? null : Math.min(...times);
}

/** What a message says: a word that all messages share, its edit and its id. */
export function contentOf({ id, edit }: LedgerMessage): string {
  return `anchor edit${edit} of m${id}`;
}

/** Parses what contentOf wrote; null for any other text. */
export function parseContent(content: string): { id: string; edit: number } | null {
  const [, edit, id] = /anchor edit(\d+) of m(\d+)/.exec(content) ?? [];
  return edit && id ? { id, edit: Number(edit) } : null;
}

function person(n: number): ExportUser {
  const id = String(100_000_000_000_000_100n + BigInt(n));
  return anExportUser({ id, name: `person${n}x`, nickname: `Person ${n}x`, avatarUrl: '' });
}
