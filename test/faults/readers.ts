import { setTimeout as pause } from 'node:timers/promises';
import type { SearchResponse } from '../../shared/contract/search.js';
import { THREAD_SORTS, type ThreadDetail, type ThreadPage } from '../../shared/contract/threads.js';
import type { Answer, ArchiveClient } from './archiveClient.js';
import {
  goneSince,
  parseContent,
  KEPT_THREADS,
  type Ledger,
  type LedgerMessage,
  type LedgerThread,
} from './ledger.js';
import type { Random } from './random.js';

/** Readers that poll an archive, and compare what they see with the ledger. */
export interface Readers {
  /** Forgets what was seen of work that is not acknowledged. It may be lost with the server that held it. */
  forgetUnacknowledged(): void;
  stop(): Promise<void>;
}

/**
 * How long (ms) readers may still see what is gone, after that was acknowledged. While announcements cannot be sent,
 * the API may show kept answers for one second after it has noticed. When they can be sent again, it shows the new ones
 * at once.
 */
const GRACE_MS = 3_000;
/**
 * A reader may see an acknowledged change too late, because the machine is busy. Within this time (ms), the reader must
 * see it.
 */
const PATIENCE_MS = 60_000;
const READ_EVERY_MS = 40;
const LONGEST_LIST = 100;
/** By these sorts a list shows every thread. */
const SORTS = THREAD_SORTS.filter((sort) => sort !== 'unanswered');

type Tell = (text: string) => void;

/**
 * Starts readers. They count in `answers` how often they got which answer, and how often
 * search found a thread. `mayBeCut` tells whether the API is just
 * being killed or paused. `violate` is called at once with anything that must not be seen.
 */
export function startReaders(
  client: Pick<ArchiveClient, 'ask'>,
  ledger: Ledger,
  random: Random,
  watch: { mayBeCut: () => boolean; violate: (text: string) => void },
  answers: Record<string, number>,
): Readers {
  const seen = new Map<string, { edit: number; at: number }>();
  const stopped = new AbortController();
  const { violate } = watch;
  const read = async (kind: string, path: string, statuses: number[]): Promise<object | null> => {
    const wasCut = watch.mayBeCut();
    const answer = await client.ask('GET', path);
    const key = `${kind} ${answer.status}`;
    answers[key] = (answers[key] ?? 0) + 1;
    if (wasCut || watch.mayBeCut()) return answer.status === 200 ? bodyOf(answer) : null;
    if (answer.status === 'none') violate(`${path} was not answered: ${answer.reason}`);
    else if (!statuses.includes(answer.status)) violate(`${path} answered ${answer.status}`);
    return bodyOf(answer);
  };
  /** Reads again while something is seen too late. Reports what is never seen in time. */
  const untilInTime = async (once: (late: Tell) => Promise<void>): Promise<void> => {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const seenLate: string[] = [];
      await once((text) => {
        seenLate.push(text);
      });
      if (seenLate.length === 0) return;
      if (performance.now() > end) {
        for (const text of seenLate) violate(text);
        return;
      }
      await pause(READ_EVERY_MS);
    }
  };
  const checkMessage = (
    message: LedgerMessage,
    { edit, began, late }: { edit: number; began: number; late: Tell },
  ): void => {
    const since = goneSince(message);
    if (since !== null && began > since + GRACE_MS) {
      late(`Message ${message.id} was seen ${Math.round(began - since)} ms after it was gone`);
    }
    const least = acknowledgedEdit(message, began);
    if (edit < least) late(`Message ${message.id} was seen as edit ${edit} after ${least}`);
    const before = seen.get(message.id);
    // Of two reads at the same time, either may be reported first.
    if (before && edit < before.edit && began > before.at) {
      violate(`Message ${message.id} went back from edit ${before.edit} to ${edit}`);
    }
    seen.set(message.id, { edit, at: performance.now() });
  };
  const readThread = async (thread: LedgerThread, late: Tell): Promise<void> => {
    const began = performance.now();
    const detail = (await read(
      'thread',
      `/api/threads/${thread.id}`,
      [200, 404, 503],
    )) as ThreadDetail | null;
    const created = thread.createdAt;
    const isSure = created !== null && began > created + GRACE_MS && !isGoing(thread);
    if (detail === null) return;
    if ('code' in detail) {
      if (detail.code === 'NOT_FOUND' && isSure) late(`Thread ${thread.id} was not found`);
      return;
    }
    const known = new Map(thread.messages.map((message) => [message.id, message]));
    for (const { id, content } of detail.messages) {
      const message = known.get(id);
      const said = parseContent(content);
      if (!message || !said) violate(`Thread ${thread.id} holds what nobody said: ${content}`);
      else checkMessage(message, { edit: said.edit, began, late });
    }
    const ids = new Set(detail.messages.map(({ id }) => id));
    for (const message of thread.messages) {
      if (acknowledgedEdit(message, began) > 0 && !isGoing(message) && !ids.has(message.id)) {
        late(`Message ${message.id} was lost`);
      }
    }
  };
  /**
   * Questions for threads that stay, which have found some. From then on, each must always find some. Another question
   * need not: an indexer may be killed after it has written a thread to the search index, before it announces the
   * change. Until the thread is built again, the API may show an answer that it has kept.
   */
  const foundBefore = new Set<string>();
  const readTitle = async (): Promise<void> => {
    const { id } = random.pick(ledger.threads.slice(0, KEPT_THREADS));
    const wasFound = foundBefore.has(id);
    const answer = await read('search', `/api/search?q=${id}&type=threads`, [200, 503]);
    if (answer === null || !('results' in answer)) return;
    const { results } = answer as SearchResponse;
    if (results.threads.some((thread) => thread.id === id)) {
      answers['threads found'] = (answers['threads found'] ?? 0) + 1;
      foundBefore.add(id);
    } else if (wasFound) violate(`Search found thread ${id} no more`);
  };
  const readSearch = async (offset: number, late: Tell): Promise<void> => {
    const began = performance.now();
    const question = `/api/search?q=anchor&limit=100&offset=${offset}`;
    const hasFound = foundBefore.has(question);
    const found = (await read('search', question, [200, 503])) as SearchResponse | null;
    if (found === null || !('threadCount' in found)) return;
    if (found.threadCount > 0) foundBefore.add(question);
    else if (hasFound) violate(`${question} found nothing any more`);
    for (const { id, content } of found.results.messages) {
      const message = findMessage(ledger, id);
      const since = message && goneSince(message);
      if (message && since !== null && since !== undefined && began > since + GRACE_MS) {
        late(`Search showed message ${id} after it was gone: ${content}`);
      }
    }
  };
  const readList = async (sort: string, late: Tell): Promise<void> => {
    const began = performance.now();
    const path = `/api/threads?serverId=${ledger.serverId}&sort=${sort}&limit=${LONGEST_LIST}`;
    const page = (await read('list', path, [200, 503])) as ThreadPage | null;
    if (page === null || !('threads' in page)) return;
    for (const { id } of page.threads) {
      const thread = ledger.threads.find((one) => one.id === id);
      const since = thread && goneSince(thread);
      if (!thread) violate(`A list holds thread ${id}, which nobody made`);
      else if (since !== null && since !== undefined && began > since + GRACE_MS) {
        late(`A list showed thread ${id} after it was gone`);
      }
    }
    if (page.threads.length === LONGEST_LIST) return;
    const listed = new Set(page.threads.map(({ id }) => id));
    for (const { id, createdAt } of ledger.threads.slice(0, KEPT_THREADS)) {
      const isSure = createdAt !== null && began > createdAt + GRACE_MS;
      if (isSure && !listed.has(id)) late(`A list by ${sort} lacked thread ${id}`);
    }
  };
  const readPerson = async (
    { user, gone }: Ledger['people'][number],
    late: Tell,
  ): Promise<void> => {
    const began = performance.now();
    const profile = await read('user', `/users/${user.id}`, [200, 404, 503]);
    const isErased = profile !== null && gone.since !== null && began > gone.since + GRACE_MS;
    if (isErased && JSON.stringify(profile).includes(user.id)) {
      late(`The profile of ${user.id} was seen after it was erased`);
    }
  };
  const readOther = async (): Promise<void> => {
    await read('statistics', `/api/servers/${ledger.serverId}/stats`, [200, 404, 503]);
    await read(
      'similar',
      `/api/threads/${random.pick(ledger.threads).id}/similar`,
      [200, 404, 503],
    );
  };
  const readAny = async (turn: number): Promise<void> => {
    if (turn < 5) {
      const thread = random.pick(ledger.threads);
      await untilInTime((late) => readThread(thread, late));
    } else if (turn < 6) {
      const offset = random.below(3) * 50;
      await untilInTime((late) => readSearch(offset, late));
    } else if (turn < 7) await readTitle();
    else if (turn < 9) {
      const sort = random.pick(SORTS);
      await untilInTime((late) => readList(sort, late));
    } else {
      const person = random.pick(ledger.people);
      await untilInTime((late) => readPerson(person, late));
      await readOther();
    }
  };
  const loop = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      if (ledger.threads.length > 0) {
        await readAny(random.below(10));
      }
      await pause(READ_EVERY_MS);
    }
  };
  const loops = [loop(), loop()];
  return {
    forgetUnacknowledged: () => seen.clear(),
    async stop() {
      stopped.abort();
      await Promise.all(loops);
    },
  };
}

function bodyOf(answer: Answer): object | null {
  return answer.status === 'none' ? null : (answer.body as object | null);
}

/** The oldest edit that a reader may see who began at a time. */
function acknowledgedEdit({ acknowledged }: LedgerMessage, began: number): number {
  return acknowledged && began > acknowledged.at + GRACE_MS ? acknowledged.edit : 0;
}

/** Whether something is gone, or may be gone at any moment. */
function isGoing(one: LedgerThread | LedgerMessage): boolean {
  if ('thread' in one) {
    return one.gone.isPlanned || one.author.gone.isPlanned || isGoing(one.thread);
  }
  return one.gone.isPlanned || one.channel.gone.isPlanned;
}

function findMessage(ledger: Ledger, id: string): LedgerMessage | undefined {
  for (const { messages } of ledger.threads) {
    const found = messages.find((message) => message.id === id);
    if (found) return found;
  }
  return undefined;
}
