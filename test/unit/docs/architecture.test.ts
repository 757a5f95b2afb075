import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Db } from 'mongodb';
import { KINDS } from '../../../services/indexer/work/kinds.js';
import { collectionsOf } from '../../../shared/store/collections.js';

const text = readFileSync('docs/architecture.md', 'utf8');

/** The names in the first column of the table whose first heading is `heading`. */
function namesUnder(heading: string): string[] {
  const rows = new RegExp(`^\\| ${heading} .*\\n((?:\\|.*\\n)+)`, 'm').exec(text)?.[1] ?? '';
  return [...rows.matchAll(/^\| `(\w+)`/gm)].map(([, name = '']) => name);
}

describe('docs/architecture.md', () => {
  it('lists exactly the collections', () => {
    const all = collectionsOf({ collection: (name: string) => name } as unknown as Db);
    expect(namesUnder('Collection')).to.have.members(Object.keys(all));
  });

  it('lists exactly the kinds of marks that a loop does', () => {
    expect(namesUnder('Mark')).to.have.members(Object.keys(KINDS));
  });
});
