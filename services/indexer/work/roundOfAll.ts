import type { Filter } from 'mongodb';
import type { Mark } from '../../../shared/store/work.js';
import type { Round } from './backgroundLoop.js';

/**
 * Makes a round. The round first does one batch of the marks that are due. Where none is, it ends. Otherwise it does,
 * batch by batch, all other marks that were set before it began. These have set further marks, so it does one more
 * batch of whatever marks are due. It ends after that, even when others go on setting marks. `run` does one batch of
 * the marks that match a filter, and resolves as `runDue` does. Once `mayGoOn` returns false, the round ends after the
 * batch under way.
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
