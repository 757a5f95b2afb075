import { readFileSync } from 'node:fs';
import { expect } from 'chai';

interface Package {
  link?: boolean;
  integrity?: string;
  resolved?: string;
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, Package>;
};
const installed = Object.entries(packages).filter(([path, { link }]) => path !== '' && !link);

describe('package-lock.json', () => {
  it('names the integrity of every package, for every platform', () => {
    expect(installed.length).to.be.above(100);
    const without = installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
    expect(without.map(([path]) => path)).to.deep.equal([]);
  });

  it('holds no download addresses', () => {
    const withAddress = installed.filter(([, { resolved }]) => resolved !== undefined);
    expect(withAddress.map(([path]) => path)).to.deep.equal([]);
  });
});
