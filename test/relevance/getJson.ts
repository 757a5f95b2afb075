import { setTimeout as wait } from 'node:timers/promises';

/** How long a busy API is asked again, in milliseconds. */
const PATIENCE_MS = 120_000;

/**
 * A JSON answer of a running API. When the API is busy (429 or 503) and says when to ask again, it is asked again then.
 * Throws when the answer is another error, or when the API is still busy after `patienceMs`.
 */
export async function getJson<T>(url: string | URL, patienceMs = PATIENCE_MS): Promise<T> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const response = await fetch(url);
    if (response.ok) return (await response.json()) as T;
    const isBusy = response.status === 429 || response.status === 503;
    const seconds = response.headers.get('Retry-After');
    const body = await response.text();
    if (!isBusy || seconds === null || performance.now() >= end)
      throw new Error(`${String(url)} answered ${response.status}: ${body}`);
    await wait(Number(seconds) * 1000);
  }
}
