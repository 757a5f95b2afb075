import type { Encoding } from './negotiate.js';

/** The strong entity tag of a body in an encoding, with quotes. Each encoding has its own, because the bytes differ. */
export function entityTag(tag: string, encoding: Encoding): string {
  return encoding === 'gzip' ? `"${tag}-gzip"` : `"${tag}"`;
}

/** Whether an If-None-Match header names this entity tag, which has quotes. Compares weakly (RFC 9110, 13.1.2). */
export function noneMatchNames(header: string | undefined, etag: string): boolean {
  if (!header) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag);
}
