import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { settingsSchema } from '../../../shared/platform/env.js';

interface Described {
  flags?: { default?: string | number | boolean };
}

const { keys } = settingsSchema.describe() as { keys: Record<string, Described> };

describe('README.md', () => {
  const readme = readFileSync('README.md', 'utf8');

  it('lists every setting with its default, and no other', () => {
    const listed = [...settingsRows(readme)].map(([name, value]) => `${name} = ${value}`);
    const known = Object.entries(keys).map(([name, { flags }]) => `${name} = ${shown(flags)}`);
    expect(known.length).to.be.above(10);
    const hint = 'the table under "Settings" and settingsSchema differ';
    expect(listed.sort(), hint).to.deep.equal(known.sort());
  });
});

/** Name and default of each row of the table under "Settings". */
function settingsRows(readme: string): [string, string][] {
  const section = /^## Settings$(.*?)^## /ms.exec(readme)?.[1] ?? '';
  const rows = section.matchAll(/^\| `(\w+)` *\| (?:`([^`]*)`)? *\|/gm);
  return [...rows].map(([, name = '', value = '']) => [name, value]);
}

function shown(flags: Described['flags']): string {
  return String(flags?.default ?? '');
}
