/** When a server is not asked. */
export interface AskLimits {
  /** Throws while the server is known to be away. */
  refuse: () => void;
  /** How long a question may wait until it goes out (ms): as long as a call may take. */
  waitMs: number;
}

export interface GatherOptions<Question, Answer> extends AskLimits {
  /** Makes one call to the server. Resolves with the answers to these questions, in their order. */
  call: (questions: Question[]) => Promise<Answer[]>;
  /** The most questions of one call. */
  most: number;
  /** How many calls may be under way at once (default 2). */
  atOnce?: number;
  /** How long the first question waits for others (ms); by default until the end of this turn of the event loop. */
  gatherMs?: number;
  /** The current time (ms since any moment). */
  now?: () => number;
}

interface Waiting<Question, Answer> {
  question: Question;
  askedAt: number;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/**
 * Asks a server in few calls, because a call costs more than each answer in it. Only some calls are under way at once.
 * Questions that come meanwhile wait. When a call ends, the questions that came first go out together in the next call.
 * A question fails where it has waited for as long as a call may take. Where a call fails, all of its questions fail.
 */
export function gatherReads<Question, Answer>({
  call,
  refuse,
  waitMs,
  most,
  atOnce = 2,
  gatherMs,
  now = () => performance.now(),
}: GatherOptions<Question, Answer>): (question: Question) => Promise<Answer> {
  let waiting: Waiting<Question, Answer>[] = [];
  let underWay = 0;

  const send = async (group: Waiting<Question, Answer>[]): Promise<void> => {
    underWay += 1;
    try {
      const answers = await call(group.map(({ question }) => question));
      group.forEach(({ resolve }, index) => resolve(answers[index]!));
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    underWay -= 1;
    drain();
  };
  const drain = (): void => {
    const overdue = now() - waitMs;
    while (waiting.length > 0 && underWay < atOnce) {
      const group = waiting.slice(0, most);
      waiting = waiting.slice(most);
      const inTime = group.filter(({ askedAt }) => askedAt > overdue);
      for (const { askedAt, reject } of group) if (askedAt <= overdue) reject(tooLate());
      if (inTime.length > 0) void send(inTime);
    }
  };
  return (question) =>
    new Promise((resolve, reject) => {
      refuse();
      const ahead = waiting.length;
      waiting.push({ question, askedAt: now(), resolve, reject });
      // All questions of this turn of the event loop go out together. Where others wait already, this one goes out with
      // them, or after them.
      if (ahead > 0) return;
      if (gatherMs === undefined) setImmediate(drain);
      else setTimeout(drain, gatherMs);
    });
}

function tooLate(): DOMException {
  return new DOMException('The server was too busy', 'TimeoutError');
}
