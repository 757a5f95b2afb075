import { until } from '../../support/apiServer.js';
import { dyingProcess } from '../../support/dyingDeps.js';
import {
  endLease,
  gatewayState,
  startTestSync,
  talk,
  untilListening,
  untilSame,
  untilSynced,
  type SyncRig,
} from '../../support/syncRig.js';

/** A step at which a process dies, and whether this step is carried out. */
export interface Kill {
  step: number;
  isCarriedOut: boolean;
}

/** Events that `talk` makes. */
const EVENTS = 5;

/**
 * Kills the process that listens at a step of the events of `talk`, and has another take over. Resolves when the
 * archive is like the platform, with whether the process came to that step. Rejects with what differs when it does not
 * come to be.
 */
export async function killAt(
  { deps, stores, discord }: Pick<SyncRig, 'deps' | 'stores' | 'discord'>,
  { step, isCarriedOut }: Kill,
): Promise<boolean> {
  const listens = { listens: true };
  const dying = dyingProcess(deps);
  const killed = startTestSync(dying.deps, stores, discord, listens);
  await untilListening(deps, discord);
  await untilSynced(deps);
  const recorded = async () => (await gatewayState(deps))?.session?.seq ?? 0;
  const before = await recorded();
  dying.dieAt(step, isCarriedOut);
  talk(discord);
  await until(async () => dying.isDead || (await recorded()) >= before + EVENTS);
  const { isDead } = dying;
  // It leaves its connection. Nothing of what it does is carried out any more.
  const left = killed.stop();
  dying.bury();
  await left;
  await endLease(deps);
  const next = startTestSync(deps, stores, discord, listens);
  try {
    await untilSame(deps, discord);
  } finally {
    await next.stop();
  }
  return isDead;
}
