import type { Filter } from 'mongodb';
import type { Mark } from '../../../shared/store/work.js';
import type { Round } from './backgroundLoop.js';

/**
 * A round that does all marks that were set before it began, and then one batch of any that were set since. More marks
 * may be set all the time, so it stops there. `run` does one batch of the marks that match a filter, as `runDue` does.
 * When `mayGoOn` is false, the round ends after the batch under way.
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
