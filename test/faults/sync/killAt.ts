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

/** The step at which a process dies, and whether this step is still carried out. */
export interface Kill {
  step: number;
  isCarriedOut: boolean;
}

/** How many events `talk` makes. */
const EVENTS = 5;

/**
 * Kills the listening process at a step while the events of `talk` come, and lets another process take over. When the
 * archive is like the platform, resolves with whether the process reached that step. Otherwise rejects with what
 * differs.
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
  // It leaves its connection open. Nothing that it does is carried out any more.
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
