import { setImmediate } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import { stateOf, type StateRecord } from '../../../shared/store/state.js';

const asked = new WeakMap<object, Promise<number>>();

/**
 * A version for what is about to be built. It has to be taken before the records are read. It is greater than every
 * version that any process was given before, and no less than the clock in microseconds. Callers in the same turn of
 * the event loop share one version.
 */
export function nextVersion(state: Collection<StateRecord>): Promise<number> {
  let version = asked.get(state);
  if (!version) {
    version = setImmediate().then(() => {
      asked.delete(state);
      return raise(state, 'version', nowMicroseconds());
    });
    asked.set(state, version);
  }
  return version;
}

/** A lower bound of all versions that are given from now on. */
export async function latestVersion(state: Collection<StateRecord>): Promise<number> {
  const counter = await stateOf(state, 'version').findOne({ _id: 'version' });
  return Math.max(counter?.value ?? 0, nowMicroseconds());
}

/** Makes all later versions greater than one that is stored somewhere. */
export async function raiseVersions(state: Collection<StateRecord>, above: number): Promise<void> {
  await raise(state, 'version', above);
}

/**
 * This computer's clock, in microseconds since the epoch. Versions are no lower, so they never go backwards, not even
 * in an archive that was restored.
 */
export function nowMicroseconds(): number {
  return Date.now() * 1000;
}

/** Adds `by` to a counter, or to `floor` where that is greater. Stores the sum and resolves with it. */
export async function raise(
  state: Collection<StateRecord>,
  name: 'version' | 'live',
  floor: number,
  by = 1,
): Promise<number> {
  const counter = await stateOf(state, name).findOneAndUpdate(
    { _id: name },
    [{ $set: { value: { $add: [{ $max: [{ $ifNull: ['$value', 0] }, floor] }, by] } } }],
    { upsert: true, returnDocument: 'after' },
  );
  return counter!.value;
}
