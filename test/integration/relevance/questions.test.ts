import { expect } from 'chai';
import type { SearchResponse } from '../../../shared/contract/search.js';
import type { ThreadDetail, ThreadPage } from '../../../shared/contract/threads.js';
import { formatTable } from '../../relevance/formatTable.js';
import { getJson } from '../../relevance/getJson.js';
import {
  askQuestions,
  findRadioExports,
  QUESTION_COLUMNS,
  QUESTION_SETS,
  readQuestions,
} from '../../relevance/questions.js';
import { until, type Reply } from '../../support/apiServer.js';
import { startArchive, type TestArchive } from '../../support/archive.js';

const KINDS = ['keywords', 'names', 'questions', 'languages and typos'];

/** For at least this part of the questions, something useful must be among the first ten results. */
const FLOORS = {
  sample: { keywords: 0.9, names: 0.93, questions: 0.69, 'languages and typos': 0.9, all: 0.88 },
  radio: { keywords: 0.88, names: 0.93, questions: 0.9, 'languages and typos': 0.87, all: 0.93 },
};

const FOLDERS = {
  sample: 'sample',
  radio: findRadioExports(process.env, process.cwd()),
};

describe('questions as people type them', () => {
  let archive: TestArchive;

  before(async () => {
    archive = await startArchive();
  });
  after(() => archive.close());

  const get = <T>(path: string): Promise<T> => getJson<T>(archive.api.url + path);
  /**
   * The whole answer of a search. An answer that comes without related matches, because they were not found in time, is
   * not kept.
   */
  const search = async (path: string): Promise<SearchResponse> => {
    let reply: Reply | undefined;
    await until(async () => {
      await archive.api.get(path);
      reply = await archive.api.get(path);
      return reply.headers['x-cache'] === 'HIT';
    });
    return reply!.json() as SearchResponse;
  };

  for (const name of ['sample', 'radio'] as const) {
    describe(`over the archive "${name}"`, () => {
      const set = readQuestions(QUESTION_SETS[name]);

      before(async function () {
        const folder = FOLDERS[name];
        if (folder === undefined) {
          console.warn(
            `      SKIPPED ${set.questions.length} questions: RELEVANCE_EXPORTS names no folder of exports`,
          );
          return this.skip();
        }
        await archive.cli('import', folder, '--wait');
      });

      it('are judged by content of the archive', async () => {
        const list = `/api/threads?serverId=${set.serverId}&limit=100`;
        const { threads, hasMore } = await get<ThreadPage>(list);
        expect(hasMore).to.equal(false);
        const said = await Promise.all(
          threads.map(async ({ id }) => (await get<ThreadDetail>(`/api/threads/${id}`)).messages),
        );
        const judged = (kind: 'threads' | 'messages') =>
          set.questions.flatMap((question) => Object.keys(question[kind]));
        expect(threads.map(({ id }) => id)).to.include.members(judged('threads'));
        expect(said.flat().map(({ id }) => id)).to.include.members(judged('messages'));
      });

      it('are all asked, and enough of them are answered', async () => {
        const report = await askQuestions(set, search);
        console.log(formatTable(report.kinds, QUESTION_COLUMNS).replaceAll(/^/gm, '      '));
        expect([...report.kinds.keys()]).to.deep.equal([...KINDS, 'all']);
        expect(report.kinds.get('all')!.queries).to.equal(set.questions.length);
        for (const [kind, floor] of Object.entries(FLOORS[name]))
          expect(report.kinds.get(kind)!.found, kind).to.be.at.least(floor);
      });
    });
  }
});
