import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { AppError } from '../../../../shared/contract/errors.js';
import {
  searchQuerySchema,
  searchResponseSchema,
  type SearchParams,
} from '../../../../shared/contract/search.js';
import { suggestTitles } from '../../../../services/api/search/suggestTitles.js';
import { aThread, searchSuite, UNLIMITED } from '../../../support/searchDocuments.js';

const PAYLOAD = '<img src=x onerror=alert(1)> <mark>"&\'</mark> &lt;b&gt; \ue000\ue001 barnacle';

/** Matches escaped text whose only markup are marks around something. */
const SAFE = /^(?:[^<>"']|<mark>[^<>"']*<\/mark>)*$/;

const ODD = [
  '"',
  '""',
  '"""',
  "'",
  '\\',
  '\\"',
  '*',
  '?',
  '~',
  '^2',
  'a~5',
  'a^9',
  '+a -b',
  '!a',
  '(a',
  'a)',
  '[a TO b]',
  '{"match_all":{}}',
  'title:x',
  '_exists_:title',
  '*:*',
  '/.*/',
  'a && b || !c',
  "'; DROP TABLE x; --",
  '{"$gt":""}',
  '<script>alert(1)</script>',
  '%00%0a',
  '\u0000\u0001\u001f\u007f\u0085',
  '\ud800',
  'a\udc00b',
  '\u202e\u202dtxet\u202c',
  'مرحبا\u200fworld',
  '👨‍👩‍👧‍👦',
  '\u200d',
  '🇫🇷🇫',
  '1️⃣ #️⃣',
  '\ufe0f',
  '\u0301\u0301\u0301',
  'ﷺ'.repeat(100),
  'é'.repeat(512),
  'x'.repeat(512),
  '字'.repeat(512),
  'ก'.repeat(512),
  '😀'.repeat(512),
  '𠀀'.repeat(512),
  // Composed, this letter is two characters.
  '\u0958'.repeat(512),
  'a '.repeat(256),
  'a.b_c-d:e/'.repeat(51),
  '++'.repeat(256),
  'c++ '.repeat(120),
  '--'.repeat(256),
  '" '.repeat(256),
  '®™½²①',
  'ᐩᐩ ⵌ ᐧ ᐨ',
];

/** Strings of random characters from all kinds of scripts and symbols. */
function randomText(): string {
  const corners = [0x20, 0x22, 0x2b, 0x41, 0xe9, 0x301, 0x5d0, 0x627, 0xe01, 0x4e00, 0xac00];
  const bytes = randomBytes(40);
  const codes = Array.from(bytes, (byte, index) =>
    index % 5 === 0
      ? 0x1f600 + byte
      : index % 7 === 0
        ? 0xd800 + byte
        : corners[byte % 11]! + (byte % 9),
  );
  return String.fromCodePoint(...codes);
}

describe('search: hostile input', () => {
  const fixture = searchSuite();

  before(async () => {
    await fixture.store([
      ...aThread({
        title: `${PAYLOAD} title`,
        messages: [PAYLOAD, `${'long '.repeat(400)} needle ${'tail '.repeat(400)}`],
        tags: ['<b>tag</b>'],
      }),
      ...aThread({ title: 'Plain', messages: [`${'z'.repeat(3_000)} thimble`] }),
    ]);
  });

  for (const q of ['barnacle', 'img onerror', 'mark', 'b', 'script alert', 'lt b gt']) {
    it(`marks ${q} in escaped text only`, async () => {
      const { results } = await fixture.search(q);
      for (const { highlights } of [...results.threads, ...results.messages]) {
        for (const text of Object.values(highlights) as string[]) expect(text).to.match(SAFE);
      }
    });
  }

  it('marks what matched', async () => {
    const { results } = await fixture.search('barnacle');
    expect(results.threads[0]!.highlights.title).to.include('<mark>barnacle</mark> title');
    expect(results.messages[0]!.highlights.content)
      .to.include('<mark>barnacle</mark>')
      .and.include('&lt;img src=x onerror=alert(1)&gt;');
  });

  it('shows one passage of a long text', async () => {
    const { results } = await fixture.search('needle');
    const { content } = results.messages[0]!.highlights;
    expect(content).to.include('<mark>needle</mark>');
    expect(content!.length).to.be.at.most(260);
    const plain = await fixture.search('thimble');
    expect(plain.results.messages[0]!.highlights.content!.length).to.be.at.most(260);
  });

  it('answers a query with a letter of which the index makes no word', async () => {
    await fixture.store(aThread({ title: 'Bell', messages: ['ring the bell'] }));
    // These are newer than the Unicode of Elasticsearch's tokenizer. For the index, such a letter and `the` are `the`.
    for (const letter of ['\u0870', '\u{1df25}']) {
      const found = await fixture.search(`${letter} the`);
      expect(found, letter).to.include({ total: 0, suggestion: null });
      expect(found.related, letter).to.deep.equal({ threads: [], messages: [] });
    }
    for (const apostrophe of ['ʼ', 'ʻ']) {
      expect((await fixture.search(`${apostrophe} bell`)).messageCount, apostrophe).to.equal(1);
    }
  });

  it('answers any string, or refuses it as too long', async () => {
    const strings = [...ODD, ...Array.from({ length: 160 }, randomText)];
    expect(strings).to.have.length.above(200);
    let answered = 0;
    for (const [index, q] of strings.entries()) {
      const checked = searchQuerySchema.validate({ q, minScore: index % 2 === 0 ? 0 : 0.5 });
      if (checked.error) continue;
      const params: SearchParams = checked.value;
      try {
        const found = await fixture.search(params.q, params);
        expect(searchResponseSchema.validate(found).error).to.equal(undefined);
        expect(found.query).to.equal(q);
        expect(found.suggestion ?? '').to.not.match(/[<>&]/);
        answered += 1;
      } catch (problem) {
        // A very long text without spaces may have more parts than Elasticsearch takes.
        expect(problem, JSON.stringify(q)).to.be.instanceOf(AppError);
        expect(problem).to.include({ code: 'VALIDATION_ERROR' });
      }
      await suggestTitles(fixture, { q: params.q }, UNLIMITED);
    }
    expect(answered).to.be.above(150);
  });
});
