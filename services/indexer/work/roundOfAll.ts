import type { Filter } from 'mongodb';
import type { Mark } from '../../../shared/store/work.js';
import type { Round } from './backgroundLoop.js';

/**
 * A round that does all that was marked when it began, and a batch of what followed from that. It does not go on with
 * what others mark meanwhile, so that it ends. `run` does a batch of the marks that a filter leaves, as `runDue` does.
 * While `mayGoOn` is false, a round is one batch.
 */
export function roundOfAll(
  run: (among: Filter<Mark>) => Promise<boolean | number>,
  mayGoOn: () => boolean,
): Round {
  return async () => {
    const marked = { at: { $lte: new Date() } };
    const found = await run({});
    if (found !== true) return found;
    let more: boolean | number = true;
    while (more === true && mayGoOn()) more = await run(marked);
    if (!mayGoOn()) return true;
    await run({});
    return 'all';
  };
}
