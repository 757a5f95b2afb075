import { expect } from 'chai';
import { sanitizeMarkup } from '../../../../services/indexer/content/sanitizeMarkup.js';
import { expectAllowedMarkup, expectSafeHtml } from './expectSafeHtml.js';
import { XSS_PAYLOADS } from './xssPayloads.js';

describe('sanitizeMarkup', () => {
  it('leaves nothing of any payload that is given to it as HTML', () => {
    for (const payload of XSS_PAYLOADS) {
      expectAllowedMarkup(sanitizeMarkup(payload));
      expectAllowedMarkup(sanitizeMarkup(`<p>${payload}</p><span>${payload}`));
      expectAllowedMarkup(sanitizeMarkup(`<a href="${payload}">x</a><a href='${payload}'>x</a>`));
      expectAllowedMarkup(sanitizeMarkup(`<img src="${payload}" alt="${payload}">`));
      expectAllowedMarkup(sanitizeMarkup(`<code class="${payload}">x</code>`));
    }
  });

  const cases: [given: string, left: string][] = [
    ['<p style="color:red" id="a" class="x jumbo">a</p>', '<p class="jumbo">a</p>'],
    ['<img src="https://x.org/a.png">a', 'a'],
    ['<img src="data:image/png;base64,AA==">a', 'a'],
    ['<a href="/admin">a</a>', 'a'],
    ['<a href="//x.org">a</a>', 'a'],
    ['<a href="https://x.org">a</a>', '<a href="https://x.org" rel="nofollow ugc noopener">a</a>'],
    [
      '<a href="https://x.org" rel="opener" target="_blank">a</a>',
      '<a href="https://x.org" rel="nofollow ugc noopener">a</a>',
    ],
    ['<script>a</script><style>b</style><xmp>c</xmp><noscript>d</noscript>', ''],
    ['<b>a</b><table><tr><td>b', 'ab'],
  ];
  for (const [given, left] of cases) {
    it(given, () => expect(sanitizeMarkup(given)).to.equal(left));
  }
});

describe('expectSafeHtml', () => {
  const unsafe = [
    '<script>alert(1)</script>',
    '<p onclick="alert(1)">a</p>',
    '<p id="a">a</p>',
    '<p style="color:red">a</p>',
    '<p class="other">a</p>',
    '<svg><p>a</p></svg>',
    '<!-- a -->',
    '<a href="https://x.org">a</a>',
    '<a href="javascript:alert(1)" rel="nofollow ugc noopener">a</a>',
    '<a href="/admin" rel="nofollow ugc noopener">a</a>',
    '<img src="https://x.org/a.png">',
    '<p>a',
    '<p><pre>a</pre></p>',
    '</span>',
    '<strong>a<em>b</strong></em>',
  ];
  for (const html of unsafe) {
    it(`refuses ${html}`, () => {
      expect(() => expectSafeHtml(html)).to.throw();
    });
  }
});
