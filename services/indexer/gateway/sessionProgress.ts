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
  let first = 0;
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
        for (let next = open[first]; next?.isDone; next = open[first]) {
          recorded = next.seq;
          first += 1;
        }
        if (first < 1_000 && first < open.length) return;
        open.splice(0, first);
        first = 0;
      };
    },
  };
}
