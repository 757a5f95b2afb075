import { createHmac, randomBytes } from 'node:crypto';
import type { Collections } from './collections.js';
import type { ErasureRecord } from './erasureRecords.js';
import { findGathered } from './gather.js';
import { loadByVersion } from './loadByVersion.js';
import { pagesById } from './pagesById.js';
import { plainName } from './plainName.js';
import { stateOf, type ErasureState } from './state.js';

/** Who has been erased from this archive. */
export interface ErasedPeople {
  readonly version: number;
  readonly isEmpty: boolean;
  has(userId: string): boolean;
  /** Whether an erasure has found this name. A text may write it with marks that records leave out. */
  isName(text: string): boolean;
  /** A keyed hash of a text. It recognises the text without keeping it. */
  digest(text: string): string;
}

type Store = Pick<Collections, 'erasures' | 'state'>;

/** The erased people of an archive in which nobody was erased. */
const NOBODY_ERASED: ErasedPeople = {
  version: 0,
  isEmpty: true,
  has: () => false,
  isName: () => false,
  digest: () => '',
};

/** How many threads are searched for somebody's names when their erasure is requested. */
const LAST_THREADS = 1_000;

/**
 * Records that somebody is to be erased. From now on no write brings them back, and builds take them out of records.
 * The erasure looks for their names in titles. So the request keeps the names by which they are shown, until it is
 * done. Returns the erasure's id.
 */
export async function requestErasure(
  store: Store & Pick<Collections, 'contributions'>,
  userId: string,
): Promise<string> {
  const { salt } = await ensureState(store);
  const names = await shownNames(store, userId);
  // A process that knows of this erasure has this version, or a later one.
  const since = await announceErasure(store);
  const _id = keyedHash(salt, userId);
  const asked = {
    $set: { userId, requestedAt: new Date() },
    $addToSet: { names: { $each: names } },
    // Where the erasure is requested again before it is done, the version of the first request stays.
    $min: { since },
    $unset: { finishedAt: '' as const },
  };
  await store.erasures.updateOne({ _id }, asked, { upsert: true });
  await announceErasure(store);
  return _id;
}

/** The names by which somebody is shown in the LAST_THREADS threads that they wrote in last. */
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

/**
 * Raises the version of the erasures, so that every process reads them again before its next write. Returns the
 * version.
 */
export async function announceErasure({ state }: Pick<Store, 'state'>): Promise<number> {
  const raised = await stateOf(state, 'erasures').findOneAndUpdate(
    { _id: 'erasures' },
    { $inc: { version: 1 } },
    { returnDocument: 'after' },
  );
  return raised?.version ?? 0;
}

/** The id that the erasure of a user has or would have. */
export async function erasureIdOf(store: Store, userId: string): Promise<string> {
  return keyedHash((await ensureState(store)).salt, userId);
}

/** How many erasures one call reads. Between two calls, the process does other work. */
const READ_AT_ONCE = 2_000;

/** Who is erased now. */
export async function erasedPeople(store: Store): Promise<ErasedPeople> {
  return erasedAt(store, await findGathered(stateOf(store.state, 'erasures'), 'erasures'));
}

/**
 * Who is erased where `state` is the state of the erasures. The hashes are read again only after the version has
 * changed. People who were erased after this version may be among them already.
 */
export async function erasedAt(store: Store, state: ErasureState | null): Promise<ErasedPeople> {
  if (!state) return NOBODY_ERASED;
  return await loadErased({ ...store, salt: state.salt }, state.version);
}

const loadErased = loadByVersion(
  async ({ erasures, salt }: Store & Pick<ErasureState, 'salt'>, version) => {
    const records: Pick<ErasureRecord, '_id' | 'nameHashes'>[] = [];
    const pages = pagesById(erasures, { size: READ_AT_ONCE, projection: { nameHashes: 1 } });
    for await (const page of pages) records.push(...page);
    return erasedBy({ salt, version }, records);
  },
);

/** How many answers are remembered. Most messages are written by few people, so the same ids are asked for again. */
const MOST_REMEMBERED = 50_000;

/** Makes ErasedPeople from the hashes of their ids and names. */
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
 * Stores the names that an erasure has found: the names until it is done, and their keyed hashes for good. By the hash,
 * a name is recognised in a text that holds no id. From now on every write looks for these names.
 */
export async function noteNames(
  store: Store,
  erasureId: string,
  names: readonly string[],
): Promise<void> {
  const { salt } = await ensureState(store);
  const nameHashes = names.map((name) => nameHash(salt, plainName(name)));
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
  // With a new key, nobody who was erased would be recognised.
  if (await erasures.findOne({}, { projection: { _id: 1 } })) {
    throw new Error(
      'The key of the erasures is missing: start the indexer of this version, which takes it over',
    );
  }
  const fresh = { salt: randomBytes(32).toString('hex'), version: 0 };
  const made = await states.findOneAndUpdate(
    { _id: 'erasures' },
    { $setOnInsert: fresh },
    { upsert: true, returnDocument: 'after' },
  );
  return made!;
}
