/**
 * For so long (ms) after a SIGINT, another SIGINT belongs to the same Ctrl-C. On Ctrl-C, the terminal sends SIGINT to the
 * command and to the npx that runs it. npx then sends SIGINT to the shell in which it has started the command. A bash has
 * replaced itself by the command, so the command gets this second SIGINT, too.
 */
const SAME_MS = 500;

/** Makes a listener of SIGINT. It calls `first` at the first Ctrl-C, and `again` when Ctrl-C is pressed once more. */
export function interruptListener(
  { first, again }: { first: () => void; again: () => void },
  now: () => number = () => performance.now(),
): () => void {
  let firstAt: number | undefined;
  return () => {
    if (firstAt === undefined) {
      firstAt = now();
      first();
    } else if (now() - firstAt >= SAME_MS) again();
  };
}
