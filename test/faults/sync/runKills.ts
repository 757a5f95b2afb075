import { startDiscord } from '../../support/discord/startDiscord.js';
import { indexerDeps } from '../../support/indexerDeps.js';
import { openStores } from '../../support/stores.js';
import { startTestSync, untilListening, untilSynced } from '../../support/syncRig.js';
import { killAt } from './killAt.js';

/** More steps than the events and the work beside them take. */
const MOST_STEPS = 60;
/** After so many steps in a row that no process reaches, there are no further ones. */
const BEHIND = 3;

/**
 * Kills a process at each step of some events, once with this step carried out and once without. Prints how each trial
 * ended, and resolves with whether nothing was lost.
 */
export async function runKills(say: (text: string) => void): Promise<boolean> {
  const stores = await openStores();
  const deps = indexerDeps(stores);
  const discord = await startDiscord({ rateLimits: false, identifySpacingMs: 0 });
  let lost = 0;
  try {
    const sync = startTestSync(deps, stores, discord, { listens: true });
    await untilListening(deps, discord);
    await untilSynced(deps);
    await sync.stop();
    for (let step = 1, missed = 0; step <= MOST_STEPS && missed < BEHIND; step += 1) {
      let isReached = false;
      for (const isCarriedOut of [false, true]) {
        const began = performance.now();
        const outcome = await killAt({ deps, stores, discord }, { step, isCarriedOut }).catch(
          String,
        );
        const seconds = ((performance.now() - began) / 1_000).toFixed(1);
        if (outcome === true) isReached = true;
        if (typeof outcome === 'string') lost += 1;
        const where = `Step ${step}, ${isCarriedOut ? 'carried out' : 'not carried out'}`;
        say(`${where}: ${inWords(outcome)} (${seconds} s)`);
      }
      missed = isReached ? 0 : missed + 1;
    }
  } finally {
    await discord.close();
    await stores.close();
  }
  say(lost === 0 ? 'Nothing was lost' : `Something was lost ${lost} times`);
  return lost === 0;
}

function inWords(outcome: boolean | string): string {
  if (typeof outcome === 'string') return outcome;
  return outcome ? 'nothing lost' : 'not reached';
}
