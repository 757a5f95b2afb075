import { setImmediate } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import type { CounterRecord } from '../../../shared/store/records.js';

const asked = new WeakMap<object, Promise<number>>();

/**
 * A version for what is about to be built, taken before its records are read: greater than every one given before, by
 * any process, and at least the clock in microseconds. Those who ask at the same moment share one.
 */
export function nextVersion(counters: Collection<CounterRecord>): Promise<number> {
  let version = asked.get(counters);
  if (!version) {
    version = setImmediate().then(() => {
      asked.delete(counters);
      return raise(counters, nowMicroseconds());
    });
    asked.set(counters, version);
  }
  return version;
}

/** No version that is given from now on is lower than this. */
export async function latestVersion(counters: Collection<CounterRecord>): Promise<number> {
  const counter = await counters.findOne({ _id: 'version' });
  return Math.max(counter?.value ?? 0, nowMicroseconds());
}

/** Has all later versions exceed one that is stored somewhere. */
export async function raiseVersions(
  counters: Collection<CounterRecord>,
  above: number,
): Promise<void> {
  await raise(counters, above);
}

/** Microseconds since the epoch: versions never go backwards, not even in an archive that was restored. */
export function nowMicroseconds(): number {
  return Date.now() * 1000;
}

async function raise(counters: Collection<CounterRecord>, floor: number): Promise<number> {
  const counter = await counters.findOneAndUpdate(
    { _id: 'version' },
    [{ $set: { value: { $max: [{ $add: [{ $ifNull: ['$value', 0] }, 1] }, floor] } } }],
    { upsert: true, returnDocument: 'after' },
  );
  return counter!.value;
}
