/** Which events of a session are recorded. */
export interface SessionProgress {
  /** The number of the last event before which all are recorded, itself included. */
  readonly recorded: number;
  /** The number of the last event received. */
  readonly received: number;
  /** Notes that an event was received. What it gives is called when the event is recorded. */
  receive(seq: number): () => void;
}

/** Progress that begins after an event. */
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
