import { randomBytes } from 'node:crypto';
import { GatewayOpcodes } from 'discord-api-types/v10';
import type { Connection } from './connection.js';

/** A session. Its events are numbered, and are kept for a while for a resume. */
export interface Session {
  id: string;
  intents: number;
  /** The number of the last event. */
  seq: number;
  connection: Connection | null;
  /** Sends an event, or keeps it for a resume. */
  dispatch(t: string, d: unknown): void;
  attach(connection: Connection): void;
  detach(): void;
  /** Whether all events after this number are still kept, and the session was not away for too long. */
  canResume(seq: number): boolean;
  /** Sends the events after this number again. */
  replay(seq: number): void;
}

/** A session with some intents that keeps at most so many events. */
export function createSession(
  intents: number,
  { replayLimit, resumeMs }: { replayLimit: number; resumeMs: number },
): Session {
  const kept: { s: number; text: string }[] = [];
  let lostAt: number | null = null;
  return {
    id: randomBytes(16).toString('hex'),
    intents,
    seq: 0,
    connection: null,

    dispatch(t, d) {
      this.seq += 1;
      const text = JSON.stringify({ op: GatewayOpcodes.Dispatch, t, s: this.seq, d });
      kept.push({ s: this.seq, text });
      if (kept.length > replayLimit) kept.shift();
      this.connection?.send(text);
    },

    attach(connection) {
      this.connection?.close(4_000, 'The session was resumed elsewhere');
      this.connection = connection;
      lostAt = null;
    },

    detach() {
      this.connection = null;
      lostAt = performance.now();
    },

    canResume(seq) {
      const isInTime = lostAt === null || performance.now() - lostAt < resumeMs;
      return (
        isInTime && seq <= this.seq && (seq === this.seq || (kept[0]?.s ?? Infinity) <= seq + 1)
      );
    },

    replay(seq) {
      for (const { s, text } of kept) if (s > seq) this.connection?.send(text);
    },
  };
}
