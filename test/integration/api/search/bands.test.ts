import { expect } from 'chai';
import type { SearchResponse } from '../../../../shared/contract/search.js';
import { randomOf } from '../../../support/generateRecords.js';
import { findNaively, type PlainTerm } from '../../../support/naiveBands.js';
import {
  aThread,
  createSearchFixture,
  type SearchFixture,
} from '../../../support/searchDocuments.js';

/** How many questions are asked; more by the variable BAND_QUESTIONS. */
const QUESTIONS = Number(process.env['BAND_QUESTIONS'] ?? 60);
const THREADS = 80;
const ROOTS = ['anchor', 'chain', 'storm', 'lantern', 'drift', 'paint', 'pump', 'wreck'] as const;
const RARE = ['zebroid', 'quintain', 'ombud', 'harpoon'] as const;
const ENDINGS = ['', '', 's', 'ed', 'ing'] as const;

describe('search: bands, beside an evaluator that reads every text', () => {
  const random = randomOf(Number(process.env['BAND_SEED'] ?? 5));
  const word = (): string =>
    random.below(12) === 0 ? random.pick(RARE) : random.pick(ROOTS) + random.pick(ENDINGS);
  const text = (length: number): string => Array.from({ length }, word).join(' ');
  const archive = Array.from({ length: THREADS }, (_, n) =>
    aThread({
      title: text(1 + random.below(4)),
      messages: Array.from({ length: 1 + random.below(8) }, () => text(1 + random.below(40))),
      createdAt: new Date(Date.UTC(2024, 0, 1 + (n % 9))).toISOString(),
    }),
  );
  const threads = archive.map(([{ threadId, title }, ...said]) => ({
    id: threadId,
    title,
    messages: said.map(({ messageId, content }) => ({ id: messageId, content })),
  }));
  let fixture: SearchFixture;

  before(async () => {
    fixture = await createSearchFixture();
    await fixture.store(archive.flat());
  });
  after(() => fixture.remove());

  /** Words of one text, made up ones, or both; some of them a phrase. No term twice. */
  const question = (): PlainTerm[] => {
    const thread = threads[random.below(threads.length)]!;
    const texts = [thread.title, ...thread.messages.map(({ content }) => content)];
    const words = texts[random.below(texts.length)]!.split(' ');
    const terms = Array.from({ length: 1 + random.below(4) }, (): string[] => {
      const from = random.below(words.length);
      const length = random.below(4) === 0 ? 2 : 1;
      return random.below(6) === 0 ? [word()] : words.slice(from, from + length);
    });
    return [...new Map(terms.map((term) => [term.join(' '), term])).values()];
  };
  const typed = (terms: readonly PlainTerm[]): string =>
    terms.map((term) => (term.length > 1 ? `"${term.join(' ')}"` : term[0])).join(' ');

  it('finds the same documents in the same lines, counts them, and keeps their order from page to page', async function () {
    this.timeout(300_000 + QUESTIONS * 2_000);
    for (let n = 0; n < QUESTIONS; n += 1) {
      const terms = question();
      const q = typed(terms);
      const expected = findNaively(terms, threads);
      const found = await allPages(fixture, q, [100, 37, 20][n % 3]!);
      const missing = [...expected.keys()].filter((key) => !found.scores.has(key));
      const surplus = [...found.scores.keys()].filter((key) => !expected.has(key));
      expect({ missing, surplus }, q).to.deep.equal({ missing: [], surplus: [] });
      for (const [key, score] of found.scores) {
        const [from, below] = expected.get(key)!;
        expect(
          score >= from && score < below,
          `${q}: ${key} scores ${score}, not ${from}`,
        ).to.equal(true);
      }
      const count = (kind: string) => [...expected.keys()].filter((key) => key[0] === kind).length;
      expect(found.counts, q).to.deep.equal({ threads: count('t'), messages: count('m') });
    }
  });
});

/** Every result of a question, page by page, each with its score; no page begins above the end of the one before. */
async function allPages(fixture: SearchFixture, q: string, limit: number) {
  const scores = new Map<string, number>();
  let counts = { threads: 0, messages: 0 };
  let last = 1;
  for (let offset = 0, total = 1; offset < total; offset += limit) {
    const page = await fixture.search(q, { limit, offset });
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
