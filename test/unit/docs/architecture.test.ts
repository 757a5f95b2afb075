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
  it('tells of every collection, and of no other', () => {
    const all = collectionsOf({ collection: (name: string) => name } as unknown as Db);
    expect(namesUnder('Collection')).to.have.members(Object.keys(all));
  });

  it('tells of every kind of mark that a loop does, and of no other', () => {
    expect(namesUnder('Mark')).to.have.members(Object.keys(KINDS));
  });
});
