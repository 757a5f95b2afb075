import { setTimeout as wait } from 'node:timers/promises';

/** How long a busy API is asked again (ms). */
const PATIENCE_MS = 120_000;

/**
 * The JSON answer of a running API. Where the API is busy (429 or 503) and says when to ask again, it is asked again
 * then. Throws where the answer is another error, or where the API is still busy after `patienceMs`.
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
