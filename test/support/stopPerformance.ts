/** The time (ms) that `performance.now` tells. It stands still until a test sets it. */
export interface StoppedTime {
  now: number;
}

/** Stops `performance.now` for each test of the suite that calls this, and lets it run again afterwards. */
export function stopPerformance(): StoppedTime {
  const time: StoppedTime = { now: 0 };
  beforeEach(() => {
    time.now = 1_000;
    performance.now = () => time.now;
  });
  afterEach(() => {
    // The real function is that of the prototype.
    Reflect.deleteProperty(performance, 'now');
  });
  return time;
}
