import { setTimeout as pause } from 'node:timers/promises';
import type { AdminJob } from '../../shared/contract/admin.js';

/** An answer, or the reason why there was none. */
export type Answer = { status: number; body: unknown } | { status: 'none'; reason: string };

/** How an action ended: its job reported done, its subject never existed, or the file was rejected. */
export type ActionEnd = 'done' | 'absent' | 'rejected';

/** A request to the API that carries out an action. */
export interface ActionRequest {
  method: 'POST' | 'DELETE';
  path: string;
  body?: object;
}

/** A client that repeats an action until its job reports done. */
export interface ArchiveClient {
  ask(method: string, path: string, body?: object): Promise<Answer>;
  /**
   * Resolves when the action is acknowledged. Throws when the API gives an answer that it must never give, or when time
   * is up.
   */
  perform(action: ActionRequest): Promise<ActionEnd>;
}

const ANSWER_WITHIN_MS = 60_000;
const ASK_AGAIN_MS = 100;

/**
 * A client of the API at an address that may change. An action fails if it is not acknowledged by `giveUpAt` (ms, as
 * Date.now). `onWrong` is told of answers that must never be given. The action is then repeated.
 */
export function createArchiveClient(
  url: () => string,
  giveUpAt: () => number = () => Infinity,
  onWrong: (text: string) => void = (text) => {
    throw new Error(text);
  },
): ArchiveClient {
  const ask: ArchiveClient['ask'] = async (method, path, body) => {
    const sent = body && {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    };
    try {
      const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
      const response = await fetch(`${url()}${path}`, { method, signal, ...sent });
      const text = await response.text();
      return { status: response.status, body: text === '' ? null : JSON.parse(text) };
    } catch (error) {
      return { status: 'none', reason: String((error as Error).cause ?? error) };
    }
  };
  /** Follows a job to its end. False for a job that is forgotten because Redis was emptied. */
  const follow = async (statusUrl: string): Promise<false | 'done' | 'rejected'> => {
    while (Date.now() < giveUpAt()) {
      await pause(ASK_AGAIN_MS);
      const answer = await ask('GET', statusUrl);
      if (answer.status === 404) return false;
      if (answer.status === 200) {
        const job = answer.body as Pick<AdminJob, 'state' | 'error' | 'counts'>;
        if (job.state === 'done') return job.counts['rejected'] ? 'rejected' : 'done';
        if (job.state === 'failed') throw new Error(`${statusUrl} failed: ${job.error ?? ''}`);
      } else if (answer.status !== 'none' && answer.status !== 503) {
        onWrong(`${statusUrl} was answered ${answer.status}`);
      }
    }
    return false;
  };
  return {
    ask,
    async perform(action) {
      for (let tries = 0; Date.now() < giveUpAt(); tries += 1) {
        const filed = await ask(action.method, action.path, action.body);
        const outcome = judge(action, filed);
        if (outcome === 'wrong') onWrong(`${nameOf(action)} was answered ${JSON.stringify(filed)}`);
        // It may have been done by an earlier try that got no answer.
        if (outcome === 'absent') return tries === 0 ? 'absent' : 'done';
        const ended = typeof outcome === 'object' && (await follow(outcome.statusUrl));
        if (ended) return ended;
        await pause(ASK_AGAIN_MS);
      }
      throw new Error(`${nameOf(action)} was not acknowledged in time`);
    },
  };
}

function nameOf({ method, path }: ActionRequest): string {
  return `${method} ${path}`;
}

/** Decides what the sender of an action does after an answer. 409 means that a rebuild is under way. */
function judge(
  action: ActionRequest,
  answer: Answer,
): 'again' | 'absent' | 'wrong' | { statusUrl: string } {
  const { status } = answer;
  if (status === 'none' || status === 503 || status === 409) return 'again';
  if (status === 404 && action.method === 'DELETE') return 'absent';
  if (status === 202) return answer.body as { statusUrl: string };
  return 'wrong';
}
