import { setTimeout as pause } from 'node:timers/promises';
import type { Collections } from '../../../shared/store/collections.js';
import { isDuplicateKey } from '../../../shared/store/duplicateKey.js';
import { stateOf, type GatewaySession, type GatewayState } from '../../../shared/store/state.js';

type Stored = Pick<Collections, 'state'>;

/** The state of the gateway connection in this process. */
export type GatewayNow = Omit<GatewayState, '_id' | 'identifiedAt' | 'takenAt'>;

/** The shortest time between two writes (ms). */
const SAVE_EVERY_MS = 250;

/**
 * Takes over the state, whichever process had it before. From now on, only this process changes it. Resolves with the
 * session that was begun last; with null where there is none. Creates the document where there is none, and removes the
 * problem that was noted last. `takenAt` is the time of live data at which this process begins to listen. Throws where a
 * process that began later has the state.
 */
export async function takeOver({ state }: Stored, takenAt: number): Promise<GatewaySession | null> {
  const nothing = { session: null, connectedAt: null, lastEventAt: null, waiting: 0 };
  const stored = await stateOf(state, 'gateway').findOneAndUpdate(
    { _id: 'gateway', takenAt: { $not: { $gt: takenAt } } },
    { $setOnInsert: nothing, $set: { takenAt, problem: null } },
    { upsert: true, returnDocument: 'after' },
  );
  return stored?.session ?? null;
}

/** Stores the state of the gateway connection when it changes, with a pause after each write. */
export interface GatewaySaver {
  /** Notes that the state has changed, so that it is stored soon. */
  touch(): void;
  /** Resolves when the changes noted so far are stored. A write that fails is not tried again. */
  end(): Promise<void>;
}

/**
 * Makes the saver of the process that took the state over at `takenAt`. `now` returns the state to store.
 */
export function createGatewaySaver(
  collections: Stored,
  takenAt: number,
  now: () => GatewayNow,
): GatewaySaver {
  let isChanged = false;
  let isEnding = false;
  let saving: Promise<void> | null = null;
  const save = async (): Promise<void> => {
    isChanged = false;
    await store(collections, takenAt, now());
  };
  const run = async (): Promise<void> => {
    while (isChanged) {
      // A failed write is tried again, except at the end. Then the stored number is too low, and the platform sends the
      // events after it again.
      await save().catch(() => {
        isChanged = !isEnding;
      });
      if (!isEnding) await pause(SAVE_EVERY_MS);
    }
    saving = null;
  };
  return {
    touch() {
      isChanged = true;
      saving ??= run();
    },
    async end() {
      isEnding = true;
      await saving;
    },
  };
}

/**
 * Stores the state, unless another process has taken it over. Worker A stands still for longer than its lease. Meanwhile
 * worker B takes the state over, and resumes the session. Then A learns that its own connection has ended, and with it
 * the session. If A could store that, the session of B would be lost with its number.
 *
 * Somebody may have dropped the database meanwhile, to restore a backup. Without a document, no session could begin any
 * more. So this creates it.
 */
async function store({ state }: Stored, takenAt: number, now: GatewayNow): Promise<void> {
  const own = { _id: 'gateway' as const, takenAt };
  try {
    await stateOf(state, 'gateway').updateOne(own, { $set: now }, { upsert: true });
  } catch (error) {
    // The document has the time of another process.
    if (!isDuplicateKey(error)) throw error;
  }
}
