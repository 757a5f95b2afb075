import type { Mongo } from '../../shared/platform/clients.js';
import { memberId } from '../../shared/store/optOuts.js';
import { stateOf } from '../../shared/store/state.js';

/** Leaves somebody out of a server, or ends that, as the sync does. It builds nothing. */
export async function leaveOut(
  { collections: { optOuts, state } }: Pick<Mongo, 'collections'>,
  serverId: string,
  userId: string,
  isOut = true,
): Promise<void> {
  const _id = memberId(serverId, userId);
  if (isOut) await optOuts.insertOne({ _id, serverId, userId });
  else await optOuts.deleteOne({ _id });
  const rise = { $inc: { version: 1 } };
  await stateOf(state, 'optOuts').updateOne({ _id: 'optOuts' }, rise, { upsert: true });
}
