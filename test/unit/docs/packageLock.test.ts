import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';

interface Package {
  link?: boolean;
  integrity?: string;
  resolved?: string;
  optional?: boolean;
  engines?: Record<string, string>;
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

  it('names packages that together support exactly the versions of Node that the scripts and package.json accept', async () => {
    const { satisfies } = createRequire(import.meta.url)('semver') as {
      satisfies: (version: string, range: string) => boolean;
    };
    const { isSupportedNode } = (await import(pathToFileURL('scripts/lib/project.js').href)) as {
      isSupportedNode: (version: string) => boolean;
    };
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as Package;
    expect(packages['']?.engines).to.deep.equal(engines);
    // npm does not ask optional packages which versions they need.
    const needed = installed.flatMap(([, one]) =>
      one.optional ? [] : (one.engines?.['node'] ?? []),
    );
    const minors = Array.from({ length: 30 }, (_, minor) => minor);
    const versions = [18, 19, 20, 21, 22, 23, 24, 25, 26].flatMap((major) =>
      minors.map((minor) => `${major}.${minor}.0`),
    );
    const supported = versions.filter((version) => needed.every((one) => satisfies(version, one)));
    expect(supported).to.include('20.19.0').and.not.include('20.18.0');
    expect(versions.filter(isSupportedNode)).to.deep.equal(supported);
    expect(versions.filter((one) => satisfies(one, engines!['node']!))).to.deep.equal(supported);
  });
});
