import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';

/** Files that lie beside the project. */
const OUTSIDE = ['discord-openapi.json'];

const FOLDERS = ['bench', 'bin', 'docs', 'sample', 'scripts', 'services', 'shared', 'test'];

/** Every file of the project by its path, and every folder with a slash at its end. */
const paths = [
  ...readdirSync('.'),
  ...FOLDERS.flatMap((folder) => [`${folder}/`, ...pathsWithin(folder)]),
];
const documents = paths.filter((path) => path.endsWith('.md'));

function pathsWithin(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) =>
    join(entry.parentPath, entry.isDirectory() ? `${entry.name}/` : entry.name),
  );
}

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(document: string): string[] {
  const headings = [...readFileSync(document, 'utf8').matchAll(/^#+ (.*)$/gm)];
  return headings.map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('the documents', () => {
  it('link to documents and headings that exist', () => {
    const broken: string[] = [];
    let links = 0;
    for (const document of documents) {
      for (const [, target = '', anchor] of readFileSync(document, 'utf8').matchAll(
        /\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)/g,
      )) {
        const file = target === '' ? document : join(dirname(document), target);
        const isThere = existsSync(file) && (!anchor || anchorsOf(file).includes(anchor));
        if (!isThere) broken.push(`${document}: ${target}#${anchor ?? ''}`);
        links += 1;
      }
    }
    expect(links).to.be.above(100);
    expect(broken).to.deep.equal([]);
  });

  for (const document of ['docs/recipes.md', 'docs/architecture.md']) {
    it(`name only files, folders and identifiers that exist, in ${document}`, () => {
      const words = identifiers();
      const named = [...readFileSync(document, 'utf8').matchAll(/`([^`\n]+)`/g)];
      const unknown = named.map(([, name = '']) => name).filter((name) => !isKnown(name, words));
      expect(named.length).to.be.above(100);
      expect([...new Set(unknown)]).to.deep.equal([]);
    });
  }
});

/** Every word of the sources and of the settings of tools. */
function identifiers(): ReadonlySet<string> {
  const sources = paths.filter(
    (path) => /\.(?:ts|js|yml|json)$/.test(path) && !path.startsWith('sample/'),
  );
  return new Set(sources.flatMap((path) => readFileSync(path, 'utf8').match(/[\w$]+/g) ?? []));
}

/** Whether what stands in code marks is there. What is neither a path nor an identifier is not looked at. */
function isKnown(name: string, words: ReadonlySet<string>): boolean {
  if (/^[\w./-]*\/$|^[\w./-]+\.(?:ts|js|cjs|json|md|yml)$/.test(name)) {
    return [...paths, ...OUTSIDE].some((path) => path === name || path.endsWith(`/${name}`));
  }
  return !/^[A-Za-z_]\w*$/.test(name) || words.has(name);
}
