import type { Collection } from 'mongodb';
import type { CounterRecord } from '../../../shared/store/records.js';
import { nowMicroseconds } from '../records/threadRevision.js';

/**
 * The version for views that are counted from many threads, taken before reading what they are counted from: greater
 * than every one given before, by any process, and at least the clock in microseconds.
 */
export async function nextVersion(counters: Collection<CounterRecord>): Promise<number> {
  const counter = await counters.findOneAndUpdate(
    { _id: 'version' },
    [{ $set: { value: { $max: [{ $add: [{ $ifNull: ['$value', 0] }, 1] }, nowMicroseconds()] } } }],
    { upsert: true, returnDocument: 'after' },
  );
  return counter!.value;
}
