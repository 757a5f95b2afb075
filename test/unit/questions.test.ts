import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { formatTable } from '../relevance/formatTable.js';
import {
  askQuestions,
  findRadioExports,
  measurePlaces,
  QUESTION_SETS,
  rank,
  readQuestions,
  type Answer,
  type Place,
} from '../relevance/questions.js';
import { withTemporaryFolder } from '../support/temporaryFolder.js';

const EARLY = '2026-01-01T00:00:00.000Z';
const LATE = '2026-01-02T00:00:00.000Z';
const NOTHING = { threads: [], messages: [] };

const found = (id: string, score: number, createdAt = EARLY) => ({ id, score, createdAt });
const threads = (...ids: string[]): Place[] => ids.map((id) => ({ kind: 'threads', id }));

describe('judged questions', () => {
  it('are at least 100 in all, and enough of each kind', () => {
    const kinds = Object.values(QUESTION_SETS)
      .flatMap((file) => readQuestions(file).questions)
      .map(({ kind }) => kind);
    const least = { keywords: 25, names: 20, questions: 35, 'languages and typos': 20 };
    expect(kinds.length).to.be.at.least(100);
    expect(new Set(kinds)).to.deep.equal(new Set(Object.keys(least)));
    for (const [kind, count] of Object.entries(least))
      expect(kinds.filter((one) => one === kind).length, kind).to.be.at.least(count);
  });

  it('are refused with the name of the file when a grade is none', () =>
    withTemporaryFolder(async (folder) => {
      const file = join(folder, 'questions.json');
      const question = { kind: 'names', q: 'PORT', threads: { '1': 3 }, messages: {} };
      const set = { about: 'one question', serverId: '7', questions: [question] };
      await writeFile(file, JSON.stringify(set));
      expect(() => readQuestions(file)).to.throw(
        `${file}: "questions[0].threads.1" must be less than or equal to 2`,
      );
    }));

  describe('a ranking', () => {
    it('holds both kinds by score, then what is related', () => {
      const answer: Answer = {
        results: { threads: [found('1', 0.9), found('2', 0.6)], messages: [found('3', 0.7)] },
        related: { threads: [found('4', 0.2)], messages: [found('5', 0.4)] },
      };
      expect(rank(answer).map(({ kind, id }) => `${kind} ${id}`)).to.deep.equal([
        'threads 1',
        'messages 3',
        'threads 2',
        'messages 5',
        'threads 4',
      ]);
    });

    it('puts the newest of equal scores first, then the higher id, then the thread', () => {
      const results = {
        threads: [found('10', 0.5), found('30', 0.5)],
        messages: [found('9', 0.5), found('10', 0.5), found('20', 0.5, LATE)],
      };
      const places = rank({ results }).map(({ kind, id }) => `${kind} ${id}`);
      expect(places).to.deep.equal([
        'messages 20',
        'threads 30',
        'threads 10',
        'messages 10',
        'messages 9',
      ]);
    });
  });

  describe('measures', () => {
    const question = { threads: { a: 1, b: 2 }, messages: { a: 2 } };

    it('tell what helps from what answers', () => {
      const helped = { found: 1, answered: 0, reciprocalRank: 0.5 };
      expect(measurePlaces(threads('x', 'a'), question)).to.deep.equal(helped);
      const answered = { found: 1, answered: 1, reciprocalRank: 0.5 };
      expect(measurePlaces(threads('x', 'a', 'b'), question)).to.deep.equal(answered);
    });

    it('tell a thread from a message of the same id', () => {
      const first = { found: 1, answered: 1, reciprocalRank: 1 };
      expect(measurePlaces([{ kind: 'messages', id: 'a' }], question)).to.deep.equal(first);
      expect(measurePlaces([{ kind: 'messages', id: 'b' }], question).found).to.equal(0);
    });

    it('count the first ten places alone', () => {
      const nine = Array.from({ length: 9 }, (_, n) => `x${n}`);
      const tenth = measurePlaces(threads(...nine, 'b'), question);
      expect(tenth).to.deep.equal({ found: 1, answered: 1, reciprocalRank: 0.1 });
      const nothing = { found: 0, answered: 0, reciprocalRank: 0 };
      expect(measurePlaces(threads(...nine, 'x9', 'b'), question)).to.deep.equal(nothing);
      expect(measurePlaces([], question)).to.deep.equal(nothing);
    });
  });

  it('are asked within their server, and averaged by kind', async () => {
    const ask = (kind: string, q: string) => ({ kind, q, threads: { '1': 2 }, messages: {} });
    const set = {
      about: 'three questions',
      serverId: '7',
      questions: [ask('words', 'one'), ask('words', 'two & 2'), ask('typos', 'thre')],
    };
    const answers: Record<string, Answer> = {
      one: { results: { threads: [found('1', 0.5)], messages: [] } },
      'two & 2': { results: NOTHING },
      thre: {
        results: { threads: [found('2', 0.5)], messages: [] },
        related: { threads: [found('1', 0.4)], messages: [] },
      },
    };
    const asked: URLSearchParams[] = [];
    const report = await askQuestions(set, (path) => {
      const { pathname, searchParams } = new URL(path, 'http://api.example');
      expect(pathname).to.equal('/api/search');
      asked.push(searchParams);
      return Promise.resolve(answers[searchParams.get('q')!]!);
    });
    expect(asked.map((query) => query.get('serverId'))).to.deep.equal(['7', '7', '7']);
    expect(asked.map((query) => query.get('limit'))).to.deep.equal(['10', '10', '10']);
    expect([...report.kinds]).to.deep.equal([
      ['words', { found: 0.5, answered: 0.5, reciprocalRank: 0.5, queries: 2 }],
      ['typos', { found: 1, answered: 1, reciprocalRank: 0.5, queries: 1 }],
      ['all', { found: 2 / 3, answered: 2 / 3, reciprocalRank: 0.5, queries: 3 }],
    ]);
    expect(report.missed).to.deep.equal(['two & 2']);
  });

  it('make a table with one line a kind', () => {
    const kinds = new Map([
      ['words', { queries: 2, found: 0.5 }],
      ['all', { queries: 12, found: 1 }],
    ]);
    const rows = formatTable(kinds, { 'found@10': 'found' }).split('\n');
    expect(rows.map((row) => row.trim().split(/\s+/))).to.deep.equal([
      ['queries', 'found@10'],
      ['words', '2', '0.500'],
      ['all', '12', '1.000'],
    ]);
    expect(new Set(rows.map((row) => row.length)).size).to.equal(1);
  });

  describe('the exports of the radio community', () => {
    it('are found beside the project, unless RELEVANCE_EXPORTS names a folder', () =>
      withTemporaryFolder(async (folder) => {
        const project = join(folder, 'project');
        expect(findRadioExports({}, project)).to.equal(undefined);
        await mkdir(join(folder, 'shared', 'data'), { recursive: true });
        expect(findRadioExports({}, project)).to.equal(join(folder, 'shared', 'data'));
        expect(findRadioExports({ RELEVANCE_EXPORTS: folder }, project)).to.equal(folder);
      }));

    it('are missed when the named folder does not exist', () =>
      withTemporaryFolder((folder) => {
        const env = { RELEVANCE_EXPORTS: join(folder, 'absent') };
        expect(() => findRadioExports(env, folder)).to.throw('a folder that does not exist');
        return Promise.resolve();
      }));
  });
});
