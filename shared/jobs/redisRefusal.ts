const FULL_MEMORY =
  'its memory is full, so it takes no more jobs: raise its maxmemory, or remove what else it holds';
const FAILING_DISK =
  'it cannot write to its disk, so it takes no more jobs: make room there, or see its log';

/**
 * Why a Redis that answers questions refuses to store anything, and what to do, told by the message of an error; null
 * where the error says nothing of that. The error of a script has other words before it.
 */
export function refusalOf(message: string): string | null {
  if (/\bOOM command not allowed\b/.test(message)) return FULL_MEMORY;
  return /\bMISCONF\b/.test(message) ? FAILING_DISK : null;
}
