import { expect } from 'chai';
import { slug } from '../../../../services/indexer/views/slug.js';

const CASES: [title: string, expected: string][] = [
  ['How do I start?', 'how-do-i-start'],
  ['  --C++ / node.js: v20.19.1!  ', 'c-node-js-v20-19-1'],
  ['Größe ändern', 'grosse-andern'],
  ['Привет, мир', 'privet-mir'],
  ["Don't panic", 'dont-panic'],
  ['../../etc/passwd', 'etc-passwd'],
  ['<script>alert(1)</script>', 'script-alert-1-script'],
  ['???', 'thread'],
  ['', 'thread'],
];

describe('slug', () => {
  for (const [title, expected] of CASES) {
    it(`makes ${JSON.stringify(expected)} of ${JSON.stringify(title)}`, () => {
      expect(slug(title)).to.equal(expected);
    });
  }

  it('cuts at 80 characters and does not end in a hyphen', () => {
    const long = slug(`${'a'.repeat(79)} ${'b'.repeat(40)}`);
    expect(long).to.equal('a'.repeat(79));
  });

  it('transliterates every script to something', () => {
    for (const title of ['日本語', '한국어', 'ไทย', 'العربية', 'हिन्दी', 'Ελληνικά', '🚀']) {
      expect(slug(title)).to.match(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    }
  });
});
