import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Operation } from '../../../shared/contract/operation.js';
import { operations } from '../../../shared/contract/operations.js';

describe('docs/credentials.md', () => {
  it('lists every protected operation with who may call it', () => {
    const text = readFileSync('docs/credentials.md', 'utf8');
    const section = /^## Who may call what$(.*?)^## /ms.exec(text)?.[1] ?? '';
    const rows = [...section.matchAll(/^\| (.*?) *\| (\w+) *\|$/gm)];
    const listed = rows.flatMap(([, names = '', access = '']) =>
      [...names.matchAll(/`([A-Z]+ \/[^`]*)`/g)].map(([, name = '']) => `${name} ${access}`),
    );
    for (const { method, paths, access } of Object.values(operations) as Operation[]) {
      if (access === 'public') continue;
      expect(listed).to.include(`${method.toUpperCase()} ${paths[0]} ${access}`);
    }
  });
});
