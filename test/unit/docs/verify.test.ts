import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { DIFFERENCES } from '../../../shared/contract/verify.js';

describe('docs/verify.md', () => {
  it('lists exactly the kinds of differences', () => {
    const text = readFileSync('docs/verify.md', 'utf8');
    const listed = text.split('\n').flatMap((line) => kindsOf(line.split('|')[1] ?? ''));
    expect(listed.sort()).to.deep.equal(Object.keys(DIFFERENCES).sort());
  });
});

/** The kinds that a cell names. `` `body.missing`, `.stale` `` stands for body.missing and body.stale. */
function kindsOf(cell: string): string[] {
  let subject = '';
  return [...cell.matchAll(/`(\w*)\.(\w+)`/g)].map(([, named, problem]) => {
    subject = named || subject;
    return `${subject}.${problem}`;
  });
}
