import type { Wait } from '../../../shared/discordApi/admission.js';
import { stateOf } from '../../../shared/store/state.js';
import type { IndexerDeps } from '../deps.js';

/** How long (ms) the status tells a problem that is not noted again. Each failed try notes it again. */
const TOLD_MS = 15 * 60_000;
/** A shorter pause (ms) is not told. The platform's limits ask for such pauses all the time. */
const SHORTEST_MS = 10_000;

type Deps = Pick<IndexerDeps, 'collections' | 'logger'>;

/**
 * Notes for the status why the platform did not answer. Nobody has to do anything, because the platform is asked again.
 */
export async function noteAway(
  { collections }: Pick<Deps, 'collections'>,
  { message }: Error,
): Promise<void> {
  await note({ collections }, `${message}. The archive asks again by itself`, TOLD_MS);
}

/** Removes the note that the platform did not answer. */
export async function noteBack({ collections }: Pick<Deps, 'collections'>): Promise<void> {
  await stateOf(collections.state, 'sync').updateOne(
    { _id: 'sync', away: { $exists: true } },
    { $unset: { away: '' } },
  );
}

/** Makes a function that tells the operator, once for each pause, until when nothing may be sent to the platform. */
export function createHeldTeller(deps: Deps): (wait: Wait & { why: string }) => void {
  let toldUntil = 0;
  return ({ ms, why }) => {
    const until = Date.now() + ms;
    // Many requests wait for the end of the same pause.
    if (ms < SHORTEST_MS || until < toldUntil + SHORTEST_MS) return;
    toldUntil = until;
    const problem = `${why}. Nothing is sent before ${new Date(until).toISOString()}`;
    deps.logger.warn(problem);
    // While MongoDB is away, the log tells it alone.
    note(deps, problem, ms).catch(() => undefined);
  };
}

/** Stores a problem that the status tells for some time (ms), by MongoDB's clock. */
async function note(
  { collections }: Pick<Deps, 'collections'>,
  problem: string,
  ms: number,
): Promise<void> {
  const away = { problem: { $literal: problem }, until: { $add: ['$$NOW', ms] } };
  await stateOf(collections.state, 'sync').updateOne({ _id: 'sync' }, [{ $set: { away } }]);
}
