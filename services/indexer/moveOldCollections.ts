import type { Document } from 'mongodb';
import { batches } from '../../shared/platform/batches.js';
import type { Mongo } from '../../shared/platform/clients.js';
import { failedMark, quarantineId } from '../../shared/store/quarantine.js';
import { markId, markWrite, type Failure } from '../../shared/store/work.js';

/** Collections of one document or a few, which earlier versions kept apart. */
const OLD_STATE = ['counters', 'erasureState', 'secrets', 'searchGenerations'];

/** The newest snapshot of everybody who ever wrote, which earlier versions kept. */
const OLD_PEOPLE = 'users';

/** The index of forwards that earlier versions had, which did not judge them again. */
const OLD_FORWARDS = 'forwards';

/** The index of threads to be fetched that earlier versions had, by activity alone. */
const OLD_TODO = 'todo_recent';

/**
 * Takes over what earlier versions kept in other collections or under other names. It leaves the old collections of
 * `state` as they are. So an API process of an earlier version goes on until it is replaced, but for pictures of people.
 * Threads with a forwarded message are marked to be built again, since earlier versions did not judge whether it may be
 * shown. So indexers of these versions must have been stopped by then. An index that no query uses any more is dropped.
 */
export async function moveOldCollections(mongo: Pick<Mongo, 'db' | 'collections'>): Promise<void> {
  await copyState(mongo);
  await moveQuarantine(mongo);
  await renameFailures(mongo.collections);
  await judgeForwards(mongo.collections);
  await forgetNames(mongo);
  const { sync } = mongo.collections;
  if (await sync.indexExists(OLD_TODO)) await sync.dropIndex(OLD_TODO);
}

/**
 * Forgets names that earlier versions kept for ever: of people, though all they wrote was deleted, in the collection
 * `users`, and of files that were taken. What was shown of people by that collection goes into the rows that lack it.
 */
async function forgetNames({ db, collections }: Pick<Mongo, 'db' | 'collections'>): Promise<void> {
  const found = await db.listCollections({ name: OLD_PEOPLE }, { nameOnly: true }).toArray();
  if (found.length === 0) return;
  const { contributions, members, importFiles } = collections;
  const fill = (missing: string, row: Document, into: string): Document[] => [
    { $match: { [missing]: { $exists: false } } },
    { $lookup: { from: OLD_PEOPLE, localField: 'userId', foreignField: '_id', as: 'person' } },
    { $unwind: '$person' },
    { $project: row },
    { $merge: { into, whenNotMatched: 'discard' } },
  ];
  const author = Object.fromEntries(
    ['username', 'displayName', 'avatar', 'isBot'].map((field) => [field, `$person.${field}`]),
  );
  await contributions.aggregate(fill('author', { author }, 'contributions')).toArray();
  await members.aggregate(fill('avatar', { avatar: '$person.avatar' }, 'members')).toArray();
  // Whoever was not recorded was not shown.
  await contributions.deleteMany({ author: { $exists: false } });
  await members.deleteMany({ avatar: { $exists: false } });
  const taken = { state: { $in: ['imported', 'unchanged'] }, name: { $exists: true } } as const;
  await importFiles.updateMany(taken, { $unset: { name: '' } });
  await db.dropCollection(OLD_PEOPLE);
}

/** Has threads that forward something built again, once: those that the index finds, so that few messages are read. */
async function judgeForwards({
  messages,
  work,
}: Pick<Mongo['collections'], 'messages' | 'work'>): Promise<void> {
  if (!(await messages.indexExists(OLD_FORWARDS))) return;
  const copies = messages.find(
    { 'forwarded.content': { $exists: true }, 'reference.messageId': { $gt: '' } },
    { projection: { threadId: 1 }, hint: OLD_FORWARDS },
  );
  for await (const batch of batches(copies)) {
    const threadIds = new Set(batch.map(({ threadId }) => threadId));
    await work.bulkWrite([...threadIds].map((threadId) => markWrite('thread', threadId)));
  }
  await messages.dropIndex(OLD_FORWARDS);
}

async function copyState({ db }: Pick<Mongo, 'db'>): Promise<void> {
  const state = db.collection<{ _id: string }>('state');
  for (const name of OLD_STATE) {
    const old = await db.collection<{ _id: string }>(name).find().toArray();
    for (const { _id, ...rest } of old)
      await state.updateOne({ _id }, { $setOnInsert: rest }, { upsert: true });
  }
}

/** An entry of the old collection `quarantine`. */
type OldEntry = Omit<Failure, 'id'> & { _id: string };

/** Has the marks say what is quarantined. */
async function moveQuarantine({
  db,
  collections: { work },
}: Pick<Mongo, 'db' | 'collections'>): Promise<void> {
  const old = db.collection<OldEntry>('quarantine');
  for await (const entries of batches(old.find())) await work.bulkWrite(entries.map(writeOf));
  await old.drop();
}

function writeOf({ _id: _oldId, ...entry }: OldEntry) {
  const { kind, subject } = entry;
  const failure = { ...entry, id: quarantineId(kind, subject) };
  if (kind === 'document' || kind === 'file') {
    const replacement = failedMark(kind, subject, failure);
    return { replaceOne: { filter: { _id: replacement._id }, replacement, upsert: true } };
  }
  // Whose mark is gone was done meanwhile.
  const _id = kind === 'thread' ? markId(kind, subject) : subject;
  return { updateOne: { filter: { _id }, update: { $set: { failure } } } };
}

/** Earlier versions left slashes in the ids of some failures, by which nobody could ask for another try. */
async function renameFailures({ work }: Pick<Mongo['collections'], 'work'>): Promise<void> {
  const id = { $replaceAll: { input: '$failure.id', find: '/', replacement: '-' } };
  await work.updateMany({ 'failure.id': /\// }, [{ $set: { 'failure.id': id } }]);
}
