const LOOK_EVERY_MS = 10_000;

/** Tells people what keeps the work they wait for from going on. */
export interface ObstacleTeller {
  /** Says an obstacle, unless it is the one that was said last. */
  tell(obstacle: string | null): void;
  /** Looks for one and says it. To be called often: it does nothing before the work has stood still for ten seconds. */
  look(find: () => Promise<string | null>): Promise<void>;
  /** The work has come further. */
  advanced(): void;
}

/** A teller that has said nothing yet. */
export function createObstacleTeller(say: (line: string) => void): ObstacleTeller {
  let since = performance.now();
  let said: string | null = null;
  const tell = (obstacle: string | null): void => {
    if (obstacle === null || obstacle === said) return;
    said = obstacle;
    say(obstacle);
  };
  const restart = (): void => {
    since = performance.now();
  };
  return {
    tell,
    async look(find) {
      if (performance.now() - since < LOOK_EVERY_MS) return;
      tell(await find());
      restart();
    },
    advanced: restart,
  };
}
