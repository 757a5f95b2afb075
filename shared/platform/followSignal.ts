/** A signal of one piece of work. */
export interface FollowingSignal {
  signal: AbortSignal;
  /** Ends the work: all that still listens to its signal is aborted. */
  end(): void;
}

/**
 * A signal for a piece of work. It is aborted when `other` is, when the work calls `end`, and after `limitMs` with the
 * error of a time limit. Afterwards `other` holds nothing of it. AbortSignal.any is no replacement, for two reasons:
 * - In Node 20, `other` keeps a reference for each signal that was made from it, for as long as `other` lives. A process
 *   that runs for months makes millions of signals. Its memory grows, and after 16,777,216 of them AbortSignal.any
 *   throws.
 * - In Node 20, nothing holds an AbortSignal.timeout from which it makes a signal. Once the garbage is collected, the
 *   time limit is lost, and the work may never end.
 */
export function followSignal(other: AbortSignal | undefined, limitMs?: number): FollowingSignal {
  const own = new AbortController();
  const follow = (): void => own.abort(other?.reason);
  const giveUp = (): void =>
    own.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  const timer = limitMs === undefined ? undefined : setTimeout(giveUp, limitMs);
  if (other?.aborted) follow();
  else other?.addEventListener('abort', follow);
  return {
    signal: own.signal,
    end() {
      clearTimeout(timer);
      other?.removeEventListener('abort', follow);
      own.abort();
    },
  };
}
