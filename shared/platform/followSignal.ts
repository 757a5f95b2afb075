/** A signal of one piece of work. */
export interface FollowingSignal {
  signal: AbortSignal;
  /** The work has ended: what still listens to its signal ends, too. */
  end(): void;
}

/**
 * A signal that is aborted with another one, until it is ended. AbortSignal.any makes such a signal, too. But in Node 20
 * the other signal then keeps a note for ever of each one that was made. A process that runs for months makes millions
 * of them: the notes take more and more memory, and no more than 16,777,216 fit.
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
