import { ChannelType } from 'discord-api-types/v10';
import { compareIds } from '../../../../services/indexer/views/tallyPeople.js';
import { presentChannel, presentThread } from '../present/presentChannel.js';
import { momentOf, numberOf, placeOf, readsHistory, type Handler } from './call.js';
import { missingAccess, wrongKind } from './restError.js';

/** A channel or thread. */
export const getChannel: Handler = (call) => {
  const place = placeOf(call);
  return 'ownerId' in place ? presentThread(place) : presentChannel(place);
};

/**
 * A page of archived threads, last archived first. `before` is exclusive. So where several threads were archived at one
 * moment, and a page ends among them, the rest of them is on no page.
 */
export const listArchivedThreads: Handler = (call) => {
  const place = placeOf(call);
  if ('ownerId' in place || place.type === ChannelType.GuildCategory) throw wrongKind();
  const limit = numberOf(call, 'limit', { least: 2, most: 100, usual: 50 });
  const before = momentOf(call, 'before') ?? Infinity;
  if (!readsHistory(call, place.id)) throw missingAccess();
  const threads = [...call.model.threads.values()]
    .filter(({ parentId, isArchived }) => parentId === place.id && isArchived)
    .filter(({ archiveMicros }) => archiveMicros < before)
    .sort(
      (left, right) => right.archiveMicros - left.archiveMicros || compareIds(right.id, left.id),
    );
  return {
    threads: threads.slice(0, limit).map(presentThread),
    members: [],
    has_more: threads.length > limit,
  };
};
