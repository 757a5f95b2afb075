/** Tells how far the events of a session are received and recorded. */
export interface SessionProgress {
  /** The number of the last event up to which all events are recorded. */
  readonly recorded: number;
  /** The number of the last event received. */
  readonly received: number;
  /** Notes that an event was received. The returned function is to be called when the event is recorded. */
  receive(seq: number): () => void;
}

/** Makes the progress of a session. All events up to the number `after` are recorded already. */
export function createSessionProgress(after: number): SessionProgress {
  let recorded = after;
  let received = after;
  const open: { seq: number; isDone: boolean }[] = [];
  return {
    get recorded() {
      return recorded;
    },
    get received() {
      return received;
    },
    receive(seq) {
      const event = { seq, isDone: false };
      received = seq;
      open.push(event);
      return () => {
        event.isDone = true;
        while (open[0]?.isDone) recorded = open.shift()!.seq;
      };
    },
  };
}
