/**
 * Keeps Date.now() in one minute: in a suite's `before`, and in each of its tests. What is counted by the minute does
 * not begin anew in the middle of a test, however long that takes.
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
