import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { THREAD_SORTS, threadListQuerySchema } from '../../../shared/contract/threads.js';
import { settingsSchema } from '../../../shared/platform/env.js';

interface Described {
  flags?: { default?: string | number | boolean };
}

const { keys } = settingsSchema.describe() as { keys: Record<string, Described> };

describe('README.md', () => {
  const readme = readFileSync('README.md', 'utf8');

  it('lists exactly the settings, with their defaults', () => {
    const listed = [...settingsRows(readme)].map(([name, value]) => `${name} = ${value}`);
    const known = Object.entries(keys).map(([name, { flags }]) => `${name} = ${shown(flags)}`);
    expect(known.length).to.be.above(10);
    const hint = 'the table under "Settings" and settingsSchema differ';
    expect(listed.sort(), hint).to.deep.equal(known.sort());
  });

  it('names every filter and every sort of the thread list, and no other', () => {
    const [, filters = '', sorts = ''] = /^Filters: (.*?)\. Sorts: (.*?)\.$/m.exec(readme) ?? [];
    const { keys: query } = threadListQuerySchema.describe() as { keys: object };
    const known = Object.keys(query).filter((key) => !['sort', 'limit', 'cursor'].includes(key));
    expect(namesIn(filters.replace(/\(.*?\)/g, ''))).to.have.members(known);
    expect(namesIn(sorts)).to.deep.equal(THREAD_SORTS);
  });
});

/** Name and default of each row of the table under "Settings". */
function settingsRows(readme: string): [string, string][] {
  const section = /^## Settings$(.*?)^## /ms.exec(readme)?.[1] ?? '';
  const rows = section.matchAll(/^\| `(\w+)` *\| (?:`([^`]*)`)? *\|/gm);
  return [...rows].map(([, name = '', value = '']) => [name, value]);
}

function namesIn(text: string): string[] {
  return [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
}

function shown(flags: Described['flags']): string {
  return String(flags?.default ?? '');
}
