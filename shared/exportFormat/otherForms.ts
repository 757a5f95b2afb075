/** What people often have in place of an export, known by its first bytes, and what to do about it. */
const OTHER_FORMS: readonly (readonly [RegExp, string])[] = [
  [/^<(?:!doctype html|html)\b/i, 'This is an HTML page: export the thread as JSON'],
  [/^={3,}\r?\n(?:Guild|Server): /, 'This is an export as plain text: export the thread as JSON'],
  [/^"?AuthorID"?,"?Author"?,/, 'This is an export as CSV: export the thread as JSON'],
  [/^PK(?:\x03\x04|\x05\x06)/, 'This is a ZIP archive: unpack it first'],
  [
    /^(?:7z\xbc\xaf|Rar!|\xfd7zXZ|\x28\xb5\x2f\xfd|BZh\d)/,
    'The file is compressed in a form that is not known: unpack it first, or compress it with gzip',
  ],
  [/^\x1f\x8b/, 'The file is compressed twice: unpack it once'],
  [/^\0\0/, 'The file begins with zero bytes, so it was not saved whole'],
  [/^(?:\xff\xfe|\xfe\xff|\{\0|\0\{)/, 'The text is UTF-16: save the file as UTF-8'],
];

const LONGEST_HEAD = 256;
const BEFORE = /^(?:\xef\xbb\xbf)?[ \t\r\n]*/;

/** What a file is whose first bytes are no JSON object. Null where that is not known. */
export function otherForm(start: Buffer): string | null {
  const head = start.toString('latin1', 0, LONGEST_HEAD).replace(BEFORE, '');
  return OTHER_FORMS.find(([pattern]) => pattern.test(head))?.[1] ?? null;
}
