import type { IndexerDeps } from '../deps.js';
import { storeBodies } from '../stores/bodyWriter.js';
import { clearMarks, dirtyMarks } from '../stores/dirtyMarks.js';
import { forgetErased } from '../stores/forgetPeople.js';
import { nextVersion } from '../stores/nextVersion.js';
import { countProfiles } from './countProfiles.js';

const BATCH = 100;

/** Writes people's profiles again. Returns how many it did. */
export async function refreshUsers(
  { collections, announcer }: IndexerDeps,
  by?: Date,
): Promise<number> {
  const marks = await dirtyMarks(collections.dirty, 'user', { limit: BATCH, by });
  if (marks.length === 0) return 0;
  const version = await nextVersion(collections.counters);
  const userIds = marks.map(({ _id }) => _id.slice('user/'.length));
  await storeBodies(collections, await countProfiles(collections, userIds), version);
  await forgetErased(collections, userIds);
  await clearMarks(collections.dirty, marks);
  announcer.announce({ users: userIds });
  return marks.length;
}
