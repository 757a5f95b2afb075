import { setTimeout as pause } from 'node:timers/promises';
import type { UpdateFilter } from 'mongodb';
import type { Collections } from '../../../shared/store/collections.js';
import { stateOf, type GatewaySession, type GatewayState } from '../../../shared/store/state.js';

type Stored = Pick<Collections, 'state'>;

/** The state of the gateway connection in this process. */
export type GatewayNow = Omit<GatewayState, '_id' | 'identifiedAt'>;

/** The shortest time between two writes (ms). */
const SAVE_EVERY_MS = 250;

/**
 * Resolves with the session that was begun last, by whichever process; with null where there is none. Creates the
 * document where there is none, and removes the problem that was noted last.
 */
export async function loadSession({ state }: Stored): Promise<GatewaySession | null> {
  const nothing = { session: null, connectedAt: null, lastEventAt: null, waiting: 0 };
  const stored = await stateOf(state, 'gateway').findOneAndUpdate(
    { _id: 'gateway' },
    { $setOnInsert: nothing, $set: { problem: null } },
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
 * Makes the saver of one process. `loaded` is the session that the process has loaded. `now` returns the state to
 * store.
 */
export function createGatewaySaver(
  collections: Stored,
  loaded: GatewaySession | null,
  now: () => GatewayNow,
): GatewaySaver {
  let storedId = loaded?.id ?? null;
  let isChanged = false;
  let isEnding = false;
  let saving: Promise<void> | null = null;
  const save = async (): Promise<void> => {
    const current = now();
    isChanged = false;
    await store(collections, storedId, current);
    storedId = current.session?.id ?? null;
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
 * Stores the state. While the stored session stays the same, the number of its last recorded event only rises, and a
 * session that another process has stored meanwhile is left as it is. Somebody may have dropped the database meanwhile,
 * to restore a backup. Without a document, no session could begin any more. So a state with another session, or with
 * none, creates it.
 */
async function store(
  { state }: Stored,
  storedId: string | null,
  { session, ...rest }: GatewayNow,
): Promise<void> {
  const isSame = session !== null && session.id === storedId;
  const update: UpdateFilter<GatewayState> = isSame
    ? { $set: rest, $max: { 'session.seq': session.seq } }
    : { $set: { ...rest, session } };
  const filter = isSame
    ? { _id: 'gateway' as const, 'session.id': session.id }
    : { _id: 'gateway' as const };
  await stateOf(state, 'gateway').updateOne(filter, update, { upsert: !isSame });
}
