/**
 * Keeps Date.now() within one minute, in a suite's `before` and in each of its tests. So counts by the minute do not
 * begin anew in the middle of a test, however long it takes.
 */
export function stayInMinute(): void {
  const real = Date.now;
  const stay = (): void => {
    const began = real();
    const minute = began - (began % 60_000);
    Date.now = () => minute + Math.min(real() - began, 59_000);
  };
  before(stay);
  beforeEach(stay);
  after(() => {
    Date.now = real;
  });
}
