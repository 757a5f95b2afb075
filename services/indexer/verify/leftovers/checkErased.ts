import { syncOf } from '../../../../shared/store/syncRecords.js';
import type { AreaContext } from '../area.js';
import type { Difference } from '../difference.js';
import { erasedTraces } from '../erasedTraces.js';
import { MOST_LISTED } from '../mostListed.js';

/** Looks for erased people among those of whom the sync has noted something, or who are left out of a server. */
export async function checkErased({ deps: { collections } }: AreaContext): Promise<Difference[]> {
  const { isErased, isEmpty } = await erasedTraces(collections);
  if (isEmpty) return [];
  const { optOuts, sync } = collections;
  const found = new Set<string>();
  const note = (userId: string): void => {
    if (found.size < MOST_LISTED && isErased(userId)) found.add(userId);
  };
  for await (const { userId } of optOuts.find({}, { projection: { userId: 1 } })) note(userId);
  const members = syncOf(sync, 'member').find({ kind: 'member' }, { projection: { userId: 1 } });
  for await (const { userId } of members) note(userId);
  const pictures = syncOf(sync, 'file').find(
    { kind: 'file', _id: /^file\/avatars\// },
    { projection: { of: 1 } },
  );
  for await (const { of } of pictures) note(of.slice('user/'.length));
  return [...found].map((userId) => ({
    kind: 'erased.kept',
    id: userId,
    detail: 'Among the members or pictures that the sync has noted',
    basis: '',
    clue: { userId },
  }));
}
