import { counted, formatCount } from '../numbers.js';
import type { Manifest } from './backupFormat.js';

/** A line that says what a backup holds. */
export function heldLine(done: string, { collections, createdAt }: Manifest): string {
  const { threads, messages, erasures } = collections;
  const bytes = Object.values(collections).reduce((sum, file) => sum + file.bytes, 0);
  const size = `${formatCount(Math.ceil(bytes / 1_000))} kB`;
  const amounts = [
    counted(threads.documents, 'thread'),
    counted(messages.documents, 'message'),
    counted(erasures.documents, 'erasure'),
  ];
  return `${done} ${amounts.join(', ')} (${size}, as of ${createdAt})`;
}
