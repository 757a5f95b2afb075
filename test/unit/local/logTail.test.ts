import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logTail, spaceWarning } from '../../../services/local/children.js';

describe('logTail', () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'log-tail-'));
    file = join(folder, 'api.log');
  });

  afterEach(() => rm(folder, { recursive: true }));

  const tail = async (lines: string[]): Promise<string[]> => {
    await writeFile(file, `${lines.join('\n')}\n`);
    const [head, ...shown] = (await logTail(file)).split('\n');
    expect(head).to.equal(`Its log ends like this (${file}):`);
    return shown.filter((line) => line.startsWith('  '));
  };

  it('shows the last twelve lines', async () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    expect(await tail(lines)).to.deep.equal(lines.slice(8).map((line) => `  ${line}`));
  });

  it('shows what was written before the launcher asked for a minute whether the API is ready', async () => {
    const asked = `{"level":30,"requestId":"${'0'.repeat(36)}","route":"/readyz","status":503,"msg":"Request"}`;
    const away = '{"level":40,"store":"redis","msg":"A store is away"}';
    expect(await tail([away, ...Array<string>(600).fill(asked)])).to.deep.equal([`  ${away}`]);
  });

  it('shows the error of Elasticsearch, but not the calls below it', async () => {
    const error = 'java.lang.IllegalStateException: cannot downgrade a node';
    const calls = Array.from(
      { length: 20 },
      (_, n) => `\tat org.elasticsearch.Node.call${n}(Node.java)`,
    );
    const end = ['ERROR: Elasticsearch did not exit normally', 'Elasticsearch died, exit code: 1'];
    const shown = await tail([error, ...calls, '\t... 6 more', ...end]);
    expect(shown).to.deep.equal([error, ...end].map((line) => `  ${line}`));
  });

  it('shows the last errors of MongoDB before the lines about its end, but none of an earlier run', async () => {
    const line = (level: string, msg: string) =>
      `{"t":{"$date":"2026-11-29T16:27:59.472+00:00"},"s":"${level}",  "c":"CONTROL","msg":"${msg}"}`;
    const many = (count: number) =>
      Array.from({ length: count }, (_, n) => line('I', `Step ${n} of it`));
    const reason = line('E', 'Another instance is already running');
    const end = many(30);
    const lines = [line('F', 'Long ago'), ...many(100), reason, ...end];
    const shown = [reason, ...end.slice(18)].map((one) => `  ${one}`);
    expect(await tail(lines)).to.deep.equal(shown);
  });

  it('cuts long lines', async () => {
    expect(await tail(['x'.repeat(5000)])).to.deep.equal([`  ${'x'.repeat(500)}…`]);
  });

  it('has no lines of a log that is missing', async () => {
    expect(await logTail(file)).to.match(/^Its log ends like this/);
  });
});

describe('spaceWarning', () => {
  it('tells of a disk that is full or nearly so, and of no other', () => {
    expect(spaceWarning('/data', 0)).to.deep.equal(['The disk of /data has only 0 MB left']);
    expect(spaceWarning('/data', 5e7)).to.deep.equal(['The disk of /data has only 47 MB left']);
    expect(spaceWarning('/data', 1e9)).to.deep.equal([]);
  });
});
