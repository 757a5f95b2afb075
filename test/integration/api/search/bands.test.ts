import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { SearchParams, SearchResponse } from '../../../../shared/contract/search.js';
import { randomOf } from '../../../support/generateRecords.js';
import {
  findNaively,
  FUNCTION_WORDS,
  type PlainTerm,
  type PlainThread,
} from '../../../support/naiveBands.js';
import {
  aThread,
  type SearchFixture,
  searchSuite,
  type ThreadSketch,
} from '../../../support/searchDocuments.js';

/** How many questions are asked of each archive. The variable BAND_QUESTIONS may set more. */
const QUESTIONS = Number(process.env['BAND_QUESTIONS'] ?? 24);
/** Folders of exports, separated by commas. Without the variable, only the sample archive. */
const EXPORTS = (process.env['BAND_EXPORTS'] ?? 'sample').split(',');
const THREADS = 80;
const ROOTS = ['anchor', 'chain', 'storm', 'lantern', 'drift', 'paint', 'pump', 'wreck'] as const;
const RARE = ['zebroid', 'quintain', 'ombud', 'harpoon'] as const;
const ENDINGS = ['', '', 's', 'ed', 'ing'] as const;
const TAGS = ['solved', 'urgent'] as const;
/** Words with a letter that is wrong or missing, or swapped with its neighbour. */
const TYPOS = ['chaim', 'sorm', 'drfit', 'paint', 'wreck', 'stprm', 'pait'] as const;
/** Beginnings of words. None is a function word. */
const BEGUN = ['anc', 'anch', 'wre', 'har', 'storm', 'quin'] as const;

const random = randomOf(Number(process.env['BAND_SEED'] ?? 5));

/** A thread as it is stored, and as the evaluator reads it. */
interface Stored extends PlainThread {
  sketch: ThreadSketch;
}

type Filters = Partial<Pick<SearchParams, 'serverId' | 'channelId' | 'tag' | 'status'>>;

describe('search: bands, beside an evaluator that reads every text', () => {
  describe('over a generated archive', () => {
    const word = (): string => {
      if (random.below(12) === 0) return random.pick(RARE);
      if (random.below(8) === 0) return random.pick(FUNCTION_WORDS);
      return random.pick(ROOTS) + random.pick(ENDINGS);
    };
    const text = (length: number): string => Array.from({ length }, word).join(' ');
    const sketches = Array.from({ length: THREADS }, (_, n): ThreadSketch => ({
      title: text(1 + random.below(4)),
      messages: Array.from({ length: 1 + random.below(8) }, () => text(1 + random.below(40))),
      createdAt: new Date(Date.UTC(2024, 0, 1 + (n % 9))).toISOString(),
      serverId: String(1 + random.below(2)),
      channelId: String(10 + random.below(3)),
      tags: TAGS.filter(() => random.below(3) === 0),
      status: random.pick(['open', 'resolved', 'locked']),
    }));
    const archive = storing(sketches);

    /** Words of one text, made-up words, or both. Some of them form a phrase. */
    const question = (): PlainTerm[] => {
      const words = someText(archive.threads).split(' ');
      return unique(
        Array.from({ length: 1 + random.below(4) }, (): PlainTerm => {
          const from = random.below(words.length);
          const isPhrase = random.below(4) === 0 && from + 1 < words.length;
          if (random.below(6) === 0) return { words: [word()], isPhrase: false };
          return { words: words.slice(from, from + (isPhrase ? 2 : 1)), isPhrase };
        }),
      );
    };
    const filters = (): Filters => ({
      ...(random.below(2) === 0 && { serverId: String(1 + random.below(2)) }),
      ...(random.below(3) === 0 && { channelId: String(10 + random.below(3)) }),
      ...(random.below(3) === 0 && { tag: random.pick(TAGS) }),
      ...(random.below(3) === 0 && { status: random.pick(['open', 'resolved', 'locked']) }),
    });

    it('finds the same documents in the same lines, counts them, and keeps their order from page to page', async function () {
      this.timeout(300_000 + QUESTIONS * 2_000);
      for (let n = 0; n < QUESTIONS; n += 1) {
        const more = { limit: [100, 37, 20][n % 3]! };
        await agree(archive.fixture, question(), archive.threads, more);
      }
    });

    it('does so within filters', async function () {
      this.timeout(300_000 + QUESTIONS * 2_000);
      for (let n = 0; n < QUESTIONS; n += 1) {
        const wanted = filters();
        const left = archive.threads.filter(({ sketch }) => passes(sketch, wanted));
        await agree(archive.fixture, question(), left, { ...wanted, limit: 100 });
      }
    });

    it('does so for weak matches', async function () {
      this.timeout(300_000 + QUESTIONS * 2_000);
      for (let n = 0; n < QUESTIONS; n += 1) {
        const wanted = random.below(2) === 0 ? filters() : {};
        const left = archive.threads.filter(({ sketch }) => passes(sketch, wanted));
        const typed = question().slice(0, 2);
        const typo = { words: [random.pick(TYPOS)], isPhrase: false };
        const begun = { words: [random.pick(BEGUN)], isPhrase: false };
        const terms = unique([
          ...(random.below(2) === 0 ? [typo] : []),
          ...typed,
          ...(random.below(2) === 0 ? [begun] : []),
        ]);
        const more = { ...wanted, limit: 100, minScore: 0.1 };
        await agree(archive.fixture, terms, left, more, archive.threads);
      }
    });
  });

  describe(`over exports: ${EXPORTS.join(', ')}`, () => {
    const archive = storing(EXPORTS.flatMap(readExports));

    // Words of people have more endings than the evaluator knows. So all words are quoted, which means them as written.
    const question = (): PlainTerm[] => {
      const words = someText(archive.threads).split(' ');
      return unique(
        Array.from({ length: 1 + random.below(4) }, (): PlainTerm => {
          const from = random.below(words.length);
          return { words: words.slice(from, from + 1 + random.below(3)), isPhrase: true };
        }),
      );
    };

    it('finds the same documents in the same lines, counts them, and keeps their order from page to page', async function () {
      this.timeout(300_000 + QUESTIONS * 2_000);
      expect(archive.threads.length).to.be.above(20);
      for (let n = 0; n < QUESTIONS; n += 1) {
        await agree(archive.fixture, question(), archive.threads, { limit: 100 });
      }
    });
  });
});

/** Stores threads for the tests of this suite, and returns them in the form for the evaluator. */
function storing(sketches: readonly ThreadSketch[]) {
  const documents = sketches.map((sketch) => aThread(sketch));
  const threads = documents.map(([{ threadId, title, tags }, ...said], n): Stored => {
    const messages = said.map(({ messageId, content }) => ({ id: messageId, content }));
    return { id: threadId, title, tags, messages, sketch: sketches[n]! };
  });
  const fixture = searchSuite();
  before(async () => {
    for (let n = 0; n < documents.length; n += 20) {
      await fixture.store(documents.slice(n, n + 20).flat());
    }
  });
  return { threads, fixture };
}

/**
 * Asks a question, and expects what the evaluator finds. With the whole archive given, it also asks for weak matches.
 */
async function agree(
  fixture: SearchFixture,
  terms: readonly PlainTerm[],
  threads: readonly PlainThread[],
  more: Partial<SearchParams>,
  archive?: readonly PlainThread[],
): Promise<void> {
  const q = typed(terms);
  const asked = `${q} ${JSON.stringify(more)}`;
  const expected = findNaively(terms, threads, archive);
  const found = await allPages(fixture, q, more);
  const missing = [...expected.keys()].filter((key) => !found.scores.has(key));
  const surplus = [...found.scores.keys()].filter((key) => !expected.has(key));
  expect({ missing, surplus }, asked).to.deep.equal({ missing: [], surplus: [] });
  for (const [key, score] of found.scores) {
    const [from, below] = expected.get(key)!;
    const isThere = score >= from && score < below;
    expect(isThere, `${asked}: ${key} scores ${score}, not ${from}`).to.equal(true);
  }
  const count = (kind: string) => [...expected.keys()].filter((key) => key[0] === kind).length;
  expect(found.counts, asked).to.deep.equal({ threads: count('t'), messages: count('m') });
}

function typed(terms: readonly PlainTerm[]): string {
  return terms
    .map(({ words, isPhrase }) => (isPhrase ? `"${words.join(' ')}"` : words.join(' ')))
    .join(' ');
}

/** Removes repeated terms. */
function unique(terms: readonly PlainTerm[]): PlainTerm[] {
  return [...new Map(terms.map((term) => [typed([term]), term])).values()];
}

function someText(threads: readonly PlainThread[]): string {
  const { title, messages } = threads[random.below(threads.length)]!;
  return random.pick([title, ...messages.map(({ content }) => content)]);
}

function passes(sketch: ThreadSketch, { serverId, channelId, tag, status }: Filters): boolean {
  return (
    (serverId ?? sketch.serverId) === sketch.serverId &&
    (channelId ?? sketch.channelId) === sketch.channelId &&
    (status ?? sketch.status) === sketch.status &&
    (tag === undefined || (sketch.tags ?? []).includes(tag))
  );
}

/** The threads of the exports in a folder, reduced to plain words. Files that are no exports are left out. */
function readExports(folder: string): ThreadSketch[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => {
      try {
        const read = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Export;
        const messages = read.messages.map(({ content }) => plain(content)).filter((text) => text);
        const title = plain(read.channel.name);
        return title === '' || messages.length === 0 ? [] : [{ title, messages }];
      } catch {
        return [];
      }
    });
}

interface Export {
  channel: { name: string };
  messages: { content: string }[];
}

/** Reduces a text to words of lower-case Latin letters. */
function plain(text: string): string {
  return (text.toLowerCase().match(/[a-z]+/g) ?? []).join(' ');
}

/**
 * All results of a question, page by page, each with its score. No page may begin with a higher score than the page
 * before it ended with.
 */
async function allPages(fixture: SearchFixture, q: string, more: Partial<SearchParams>) {
  const { limit = 20 } = more;
  const scores = new Map<string, number>();
  let counts = { threads: 0, messages: 0 };
  let last = 1;
  for (let offset = 0, total = 1; offset < total; offset += limit) {
    const page = await fixture.search(q, { ...more, offset });
    ({ total } = page);
    counts = { threads: page.threadCount, messages: page.messageCount };
    const ranked = rank(page);
    expect(ranked, q).to.have.length(Math.max(0, Math.min(limit, total - offset)));
    for (const { key, score } of ranked) {
      expect(scores.has(key), `${q}: ${key} stands on two pages`).to.equal(false);
      expect(score, `${q}: ${key} stands too low`).to.be.at.most(last);
      scores.set(key, score);
    }
    last = ranked.at(-1)?.score ?? last;
  }
  return { scores, counts };
}

function rank({ results }: SearchResponse): { key: string; score: number }[] {
  return [
    ...results.threads.map(({ id, score }) => ({ key: `t${id}`, score })),
    ...results.messages.map(({ id, score }) => ({ key: `m${id}`, score })),
  ].sort((one, other) => other.score - one.score);
}
