import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Operation } from '../../../shared/contract/operation.js';
import { operations } from '../../../shared/contract/operations.js';

describe('docs/administration.md', () => {
  it('lists exactly the operations under /admin', () => {
    const text = readFileSync('docs/administration.md', 'utf8');
    const table = /^\| Operation .*\n((?:\|.*\n)+)/m.exec(text)?.[1] ?? '';
    const listed = [...table.matchAll(/`([A-Z]+ \/[\w/:]+)/g)].map(([, name]) => name);
    const known = (Object.values(operations) as Operation[])
      .filter(({ paths }) => paths[0]!.startsWith('/admin'))
      .map(({ method, paths }) => `${method.toUpperCase()} ${paths[0]}`);
    expect(listed).to.have.members(known);
  });
});
