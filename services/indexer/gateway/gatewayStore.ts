import { setTimeout as pause } from 'node:timers/promises';
import type { UpdateFilter } from 'mongodb';
import type { Collections } from '../../../shared/store/collections.js';
import { stateOf, type GatewaySession, type GatewayState } from '../../../shared/store/state.js';

type Stored = Pick<Collections, 'state'>;

/** How the gateway stands in this process. */
export type GatewayNow = Omit<GatewayState, '_id' | 'identifiedAt'>;

/** The shortest time between two writes (ms). */
const SAVE_EVERY_MS = 250;

/** The session that was begun last, by whichever process. Makes the document where there is none. */
export async function loadSession({ state }: Stored): Promise<GatewaySession | null> {
  const nothing = { session: null, connectedAt: null, lastEventAt: null, waiting: 0 };
  const stored = await stateOf(state, 'gateway').findOneAndUpdate(
    { _id: 'gateway' },
    { $setOnInsert: nothing, $set: { problem: null } },
    { upsert: true, returnDocument: 'after' },
  );
  return stored?.session ?? null;
}

/** Stores how the gateway stands, now and then. */
export interface GatewaySaver {
  /** Something has changed. */
  touch(): void;
  /** Stores what has changed, and then nothing more. */
  end(): Promise<void>;
}

/** A saver of one process, which has loaded a session. */
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
      // What is not stored is told again by the platform.
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

/** Of a session that is stored, the number of the last recorded event only rises. */
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
  await stateOf(state, 'gateway').updateOne(filter, update);
}
