import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCli } from '../../support/runCli.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

interface Coverage {
  result: { url: string }[];
}

describe('help', () => {
  /** The files that a command loads. */
  const loadedBy = (...args: string[]) =>
    withTemporaryFolder(async (folder) => {
      const { code, stdout } = await runCli({ NODE_V8_COVERAGE: folder }, args);
      expect([code, stdout]).to.satisfy(([, text]: [number, string]) => text.includes('Usage:'));
      const reports = await readdir(folder);
      const texts = await Promise.all(reports.map((name) => readFile(join(folder, name), 'utf8')));
      return texts.flatMap((text) => (JSON.parse(text) as Coverage).result.map(({ url }) => url));
    });

  it('loads no command and no driver, because each is loaded when it runs', async () => {
    for (const args of [['--help'], ['keys', 'create', '--help'], ['import', '--help']]) {
      const loaded = await loadedBy(...args);
      expect(loaded.filter((url) => url.includes('/commander/'))).to.have.length.above(0);
      const packages = loaded.flatMap(
        (url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? [],
      );
      expect([...new Set(packages)], args.join(' ')).to.deep.equal(['commander']);
    }
  });
});
