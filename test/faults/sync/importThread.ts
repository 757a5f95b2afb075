import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { DeletedPlace } from '../../../services/indexer/ingest/source.js';
import type { PublicThread } from '../../support/discord/model/model.js';
import { aSourceMessage, aSourceThread, anAuthor } from '../../support/factories.js';
import { record } from '../../support/indexerDeps.js';
import type { Random } from '../random.js';

const YEAR_MS = 31_536_000_000;
/** The types of ordinary messages and replies. Exports and the platform tell these alike. */
const SAID = new Set([0, 19]);

/** Copies a thread as it is now, to import it later. */
export function exported({ guild, channel, thread, messages }: PublicThread): PublicThread {
  const copies = messages
    .filter(({ type, flags, webhook }) => SAID.has(type) && flags === 0 && !webhook)
    .map((message) => ({ ...message }));
  return { guild, channel, thread: { ...thread }, messages: copies };
}

/** Imports some messages of a thread from an export that was made long ago, now, or by a clock that is a year ahead. */
export async function importThread(
  deps: IndexerDeps,
  random: Random,
  { guild, channel, thread, messages }: PublicThread,
): Promise<void> {
  const madeAt = Date.now() + random.pick([-YEAR_MS, 0, YEAR_MS]);
  const asOf = madeAt * 1_000;
  const source = aSourceThread({
    asOf,
    server: { _id: guild.id, name: 'As exported' },
    channel: { _id: channel.id, name: 'as-exported' },
    thread: { _id: thread.id, title: 'As exported', archived: random.chance(0.5) },
  });
  const told = messages
    .filter(() => random.chance(0.7))
    .map(({ id, authorId, content }) =>
      aSourceMessage({
        _id: id,
        threadId: thread.id,
        asOf,
        content: `${content} (as exported)`,
        author: { ...anAuthor('exported'), id: authorId },
      }),
    );
  try {
    await record(deps, source, told);
  } catch (error) {
    // Its forum was deleted meanwhile.
    if (!(error instanceof DeletedPlace)) throw error;
  }
}
