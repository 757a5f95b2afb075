/** A signal of one piece of work. */
export interface FollowingSignal {
  signal: AbortSignal;
  /** Ends the work: all that still listens to its signal is aborted. */
  end(): void;
}

/**
 * A signal for a piece of work. It is aborted when `other` is, and when the work calls `end`. After that, `other` holds
 * nothing of it. AbortSignal.any is no replacement: in Node 20, `other` keeps a reference for each signal that was made
 * from it, for as long as `other` lives. A process that runs for months makes millions of signals. Its memory grows, and
 * after 16,777,216 of them AbortSignal.any throws.
 */
export function followSignal(other: AbortSignal | undefined): FollowingSignal {
  const own = new AbortController();
  const follow = (): void => own.abort(other?.reason);
  if (other?.aborted) follow();
  else other?.addEventListener('abort', follow);
  return {
    signal: own.signal,
    end() {
      other?.removeEventListener('abort', follow);
      own.abort();
    },
  };
}
