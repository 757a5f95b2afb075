/**
 * For so long (ms) after a signal, another one belongs to the same request to end. On Ctrl-C, the terminal sends SIGINT to
 * the command and to the npx that runs it. npx then sends SIGINT to the shell in which it has started the command. A bash
 * has replaced itself by the command, so the command gets this second SIGINT, too. When a terminal is closed, its shell
 * and the system each send SIGHUP.
 */
const SAME_MS = 500;

/**
 * Makes a listener of the signals that ask a process to end. It calls `first` at the first of them, and `again` when it is
 * asked once more.
 */
export function interruptListener(
  { first, again }: Record<'first' | 'again', (signal: NodeJS.Signals) => void>,
  now: () => number = () => performance.now(),
): (signal: NodeJS.Signals) => void {
  let firstAt: number | undefined;
  return (signal) => {
    if (firstAt === undefined) {
      firstAt = now();
      first(signal);
    } else if (now() - firstAt >= SAME_MS) again(signal);
  };
}
