/**
 * For so long (ms) after a SIGINT, another one belongs to the same Ctrl-C. The terminal sends SIGINT to npx and to the
 * command. npx passes its own on to the shell that it has started. Where that is bash, the command has taken its place,
 * and so gets two.
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
