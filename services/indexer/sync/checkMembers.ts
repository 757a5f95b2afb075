import { batches } from '../../../shared/platform/batches.js';
import { PlatformAway, PlatformForbidden } from '../../../shared/discordApi/platformErrors.js';
import { NEVER_CHECKED, syncOf, type SyncMember } from '../../../shared/store/syncRecords.js';
import { readRolesIfTold } from './memberRoles.js';
import { noteUnknown } from './noteUnknown.js';
import { rest } from '../rest.js';
import type { SyncDeps } from './syncDeps.js';

/** How often (ms) each author is asked for again, where the pace allows it. A new session of events asks again, too. */
const CHECKED_FOR_MS = 3_600_000;
/** The shortest rest (ms) between two looks for authors of whom nothing is known, such as authors of an import. */
const FIND_EVERY_MS = 60_000;
/**
 * The rest after a look is at least this multiple of the time that the look took. A look takes half a minute for a
 * million authors.
 */
const FIND_REST = 20;
const AGAIN_AFTER_MS = 5_000;
const LOOK_EVERY_MS = 250;

/**
 * Asks the platform for the roles of authors. First come those of whom nothing is known, such as authors of exports.
 * They are asked for without a pause. When there are none, one author is asked for in each `everyMs`. It is the one who
 * was asked for longest ago, if that was an hour ago or before the present session of events began. So the archive also
 * learns of roles that change while their bearer writes nothing.
 */
export async function checkMembers(deps: SyncDeps, everyMs: number): Promise<void> {
  let findAt = -Infinity;
  while (!deps.signal.aborted) {
    const servers = [...deps.servers.values()].filter(({ optOutRoles }) => optOutRoles.size > 0);
    const serverIds = servers.map(({ serverId }) => serverId);
    const now = performance.now();
    if (serverIds.length > 0 && now > findAt) {
      await findMembers(deps, serverIds);
      const ended = performance.now();
      findAt = ended + Math.max(FIND_EVERY_MS, FIND_REST * (ended - now));
    }
    const next = await nextMember(deps, serverIds);
    const isUnknown = next?.checkedAt.getTime() === NEVER_CHECKED.getTime();
    if (next && !(await tryRead(deps, next))) await rest(AGAIN_AFTER_MS, deps.signal);
    else if (!isUnknown) await rest(next ? everyMs : LOOK_EVERY_MS, deps.signal);
  }
}

/** Notes the people who are shown on some servers, and of whose roles nothing is known. */
async function findMembers(
  { collections: { members, sync }, signal }: SyncDeps,
  serverIds: string[],
): Promise<void> {
  const shown = members.find(
    { serverId: { $in: serverIds } },
    { projection: { serverId: 1, userId: 1 } },
  );
  for await (const batch of batches(shown)) {
    if (signal.aborted) return;
    const met = batch.map(({ _id, serverId, userId }): SyncMember => {
      return { _id, kind: 'member', serverId, userId, asOf: 0, checkedAt: NEVER_CHECKED };
    });
    await noteUnknown(sync, met);
  }
}

async function nextMember(
  { collections, listening }: SyncDeps,
  serverIds: string[],
): Promise<SyncMember | null> {
  if (serverIds.length === 0) return null;
  const missedUntil = listening.since?.getTime() ?? 0;
  const before = new Date(Math.max(missedUntil, Date.now() - CHECKED_FOR_MS));
  return syncOf(collections.sync, 'member').findOne(
    { kind: 'member', serverId: { $in: serverIds }, checkedAt: { $lt: before } },
    { sort: { checkedAt: 1 } },
  );
}

/**
 * Resolves with whether the next author may be asked for at once. This is not so where the platform is away. Nor is it
 * so where the platform says that the bot may not see the author. Then the bot was probably removed from the server, and
 * each further question counts towards a ban, until a look finds that. An author whose roles cannot be read is asked for
 * again in turn.
 */
async function tryRead(deps: SyncDeps, member: SyncMember): Promise<boolean> {
  try {
    const refusal = await readRolesIfTold(deps, member);
    if (!refusal) return true;
    const members = syncOf(deps.collections.sync, 'member');
    await members.updateOne({ _id: member._id }, { $set: { checkedAt: new Date() } });
    return !(refusal instanceof PlatformForbidden);
  } catch (error) {
    if (error instanceof PlatformAway) return false;
    throw error;
  }
}
