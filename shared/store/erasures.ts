import { createHmac, randomBytes } from 'node:crypto';
import type { Collections } from './collections.js';
import type { ErasureRecord } from './erasureRecords.js';
import { findGathered } from './gather.js';
import { plainName } from './plainName.js';
import { stateOf, type ErasureState } from './state.js';

/** Who has been erased from this archive. */
export interface ErasedPeople {
  readonly version: number;
  readonly isEmpty: boolean;
  has(userId: string): boolean;
  /** Whether an erasure has found this name of somebody; a text may write it with marks that records leave out. */
  isName(text: string): boolean;
  /** A keyed hash of a text, by which it is known again without being kept. */
  digest(text: string): string;
}

type Store = Pick<Collections, 'erasures' | 'state'>;

/** Who is erased in an archive where nobody is. */
export const NOBODY_ERASED: ErasedPeople = {
  version: 0,
  isEmpty: true,
  has: () => false,
  isName: () => false,
  digest: () => '',
};

/** Threads in which the names of somebody are looked for before they are erased. */
const LAST_THREADS = 1_000;

/**
 * Remembers that somebody is to be erased. From now on no write brings them back, and builds take them out of records.
 * The erasure looks for their names in titles. So the names by which they are shown are kept with the request
 * until it is done. Gives the erasure's id.
 */
export async function requestErasure(
  store: Store & Pick<Collections, 'contributions'>,
  userId: string,
): Promise<string> {
  const { salt } = await ensureState(store);
  const names = await shownNames(store, userId);
  // Whoever learns of this erasure has this version, or a later one.
  const since = await announceErasure(store);
  const _id = keyedHash(salt, userId);
  const asked = {
    $set: { userId, requestedAt: new Date() },
    $addToSet: { names: { $each: names } },
    // Where it is asked for again before it is done, the version of the first request stays.
    $min: { since },
    $unset: { finishedAt: '' as const },
  };
  await store.erasures.updateOne({ _id }, asked, { upsert: true });
  await announceErasure(store);
  return _id;
}

/** Names by which somebody is shown in the threads that they wrote in last. */
async function shownNames(
  { contributions }: Pick<Collections, 'contributions'>,
  userId: string,
): Promise<string[]> {
  const theirs = await contributions
    .find({ userId }, { projection: { author: 1 } })
    .sort({ lastAt: -1 })
    .limit(LAST_THREADS)
    .toArray();
  return theirs.flatMap(({ author }) => [author.username, author.displayName]);
}

/** Has every process read the erasures again before its next write. Gives their new version. */
export async function announceErasure({ state }: Pick<Store, 'state'>): Promise<number> {
  const raised = await stateOf(state, 'erasures').findOneAndUpdate(
    { _id: 'erasures' },
    { $inc: { version: 1 } },
    { returnDocument: 'after' },
  );
  return raised?.version ?? 0;
}

/** The id of the erasure of a user, whether it was asked for or not. */
export async function erasureIdOf(store: Store, userId: string): Promise<string> {
  return keyedHash((await ensureState(store)).salt, userId);
}

const known = new WeakMap<object, ErasedPeople>();

/** Who is erased now; the hashes are read again only after another erasure. */
export async function erasedPeople(store: Store): Promise<ErasedPeople> {
  const state = await findGathered(stateOf(store.state, 'erasures'), 'erasures');
  if (!state) return NOBODY_ERASED;
  const before = known.get(store.state);
  if (before?.version === state.version) return before;
  const records = await store.erasures.find({}, { projection: { nameHashes: 1 } }).toArray();
  const people = erasedBy(state, records);
  known.set(store.state, people);
  return people;
}

/** Ids looked up lately, with the answer: most messages are of few people. */
const MOST_REMEMBERED = 50_000;

/** The people whose ids and names have these hashes. */
export function erasedBy(
  { salt, version }: Pick<ErasureState, 'salt' | 'version'>,
  records: readonly Pick<ErasureRecord, '_id' | 'nameHashes'>[],
): ErasedPeople {
  const hashes = new Set(records.map(({ _id }) => _id));
  const nameHashes = new Set(records.flatMap(({ nameHashes: some = [] }) => some));
  const answers = new Map<string, boolean>();
  return {
    version,
    isEmpty: hashes.size === 0,
    has(userId) {
      if (hashes.size === 0) return false;
      const answer = answers.get(userId) ?? hashes.has(keyedHash(salt, userId));
      if (answers.size >= MOST_REMEMBERED) answers.clear();
      answers.set(userId, answer);
      return answer;
    },
    isName: (text) => nameHashes.size > 0 && nameHashes.has(nameHash(salt, plainName(text))),
    digest: (text) => keyedHash(salt, text),
  };
}

/**
 * Notes the names that an erasure has found: the names until it is done, and their keyed hashes for good. By a hash,
 * somebody is known again in a text that tells nobody's id. From now on every write looks for these names.
 */
export async function noteNames(
  store: Store,
  erasureId: string,
  names: readonly string[],
): Promise<void> {
  const { salt } = await ensureState(store);
  const nameHashes = names.map((name) => nameHash(salt, name));
  await store.erasures.updateOne(
    { _id: erasureId },
    { $set: { names: [...names] }, $addToSet: { nameHashes: { $each: nameHashes } } },
  );
  await announceErasure(store);
}

function nameHash(salt: string, name: string): string {
  return keyedHash(salt, `name/${name}`);
}

/** A hash that nobody can compute without the archive's key. */
export function keyedHash(salt: string, text: string): string {
  return createHmac('sha256', salt).update(text).digest('hex');
}

async function ensureState({ erasures, state }: Store): Promise<ErasureState> {
  const states = stateOf(state, 'erasures');
  const known = await states.findOne({ _id: 'erasures' });
  if (known) return known;
  // A new key would make everybody unknown who was erased.
  if (await erasures.findOne({}, { projection: { _id: 1 } })) {
    throw new Error('The key of the erasures is missing: is the indexer of this version started?');
  }
  const fresh = { salt: randomBytes(32).toString('hex'), version: 0 };
  const made = await states.findOneAndUpdate(
    { _id: 'erasures' },
    { $setOnInsert: fresh },
    { upsert: true, returnDocument: 'after' },
  );
  return made!;
}
