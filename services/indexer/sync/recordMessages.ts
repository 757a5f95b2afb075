import type { LiveMessage } from '../../../shared/discordApi/answerTypes.js';
import { isBlank } from '../../../shared/discordApi/blankMessage.js';
import { batches } from '../../../shared/platform/batches.js';
import { findGathered } from '../../../shared/store/gather.js';
import { ingest } from '../ingest/ingest.js';
import { refuseMove } from '../ingest/mergeHeader.js';
import type { Source } from '../ingest/source.js';
import { isByWebhook, isForEverybody, liveMessage } from '../sources/liveMessage.js';
import { requireContentIntent } from './contentIntent.js';
import { learnRoles, noteRolesOfEvent } from './memberRoles.js';
import { isArchived, type LoadedServer, type SyncDeps } from './syncDeps.js';

/** A message that the platform told, and the time that it is recorded with. */
export interface ToldMessage {
  value: LiveMessage;
  asOf: number;
  /** It was told by an event. */
  isEvent?: true;
}

/** A recorded thread, and how it is marked: as `owner` and `due` of a source tell. */
interface Place extends Pick<Source, 'owner' | 'due'> {
  serverId: string;
  channelId: string;
  threadId: string;
}

/**
 * Records messages of a recorded thread. The header of the source has the lowest time, so it changes nothing of the
 * thread itself. Nothing is recorded where the last look at the server has found that the forum is not archived any
 * more, or where the server is suspended. Throws SyncProblem where messages are blank because the bot may not read them.
 * Throws SourceConflict where the thread is recorded as one of another forum or server.
 */
export async function recordMessages(
  deps: SyncDeps,
  { serverId, channelId, threadId, owner, due }: Place,
  told: readonly ToldMessage[],
): Promise<void> {
  if (!isArchived(deps, { serverId, channelId })) return;
  if (told.some(({ value }) => isForEverybody(value) && isBlank(value)))
    await requireContentIntent(deps);
  const server = await learnAuthors(deps, serverId, told);
  const recorded = await findGathered(deps.collections.threads, threadId);
  const channel = server?.channels.get(channelId);
  // Without the server, it is not known who is left out there.
  if (!server || !channel || !recorded) return;
  refuseMove(recorded, { serverId, channelId });
  const { roles } = server;
  const messages = told.flatMap(
    ({ value, ...when }) => liveMessage(value, { threadId, roles, ...when }) ?? [],
  );
  if (messages.length === 0) return;
  const thread = { _id: threadId, serverId, channelId, title: recorded.title };
  const source = { told: { asOf: 0, server: server.told, channel, thread }, owner, due };
  await ingest(deps, source, batches(messages));
}

/**
 * Learns which authors are left out, before any message of theirs is recorded. A webhook carries no role. While authors
 * are asked for, another look at the server may end. Then some authors may not be known: the look found other roles that
 * opt out, so everybody is to be judged again; or the server had been suspended, so an answer could not be judged. These
 * authors are asked for again. Resolves with the last look, by whose roles everybody was judged; with undefined where
 * the server is suspended.
 */
async function learnAuthors(
  deps: SyncDeps,
  serverId: string,
  told: readonly ToldMessage[],
): Promise<LoadedServer | undefined> {
  const byPeople = told.filter(({ value }) => !isByWebhook(value));
  const authorIds = byPeople.map(({ value }) => value.author.id);
  for (;;) {
    const server = deps.servers.get(serverId);
    if (!server) return undefined;
    for (const { value, asOf } of byPeople) {
      const { author, member } = value;
      if (member?.roles) {
        await noteRolesOfEvent(deps, { serverId, userId: author.id, roleIds: member.roles, asOf });
      }
    }
    await learnRoles(deps, server, authorIds);
    if (deps.servers.get(serverId) === server) return server;
  }
}
