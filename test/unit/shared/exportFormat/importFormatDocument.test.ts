import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { inspectExport } from '../../../../shared/exportFormat/readExport.js';
import { bytesOf } from '../../../support/exportFiles.js';

describe('docs/import-format.md', () => {
  it('shows an example that is taken', async () => {
    const text = await readFile('docs/import-format.md', 'utf8');
    const example = /```json\n([^]*?)```/.exec(text)?.[1] ?? '';
    expect(await inspectExport(bytesOf(example))).to.deep.include({ kind: 'thread', messages: 1 });
  });
});
