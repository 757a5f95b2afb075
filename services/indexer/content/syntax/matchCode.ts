import type { Rule } from './messageToken.js';

/** Matches inline code and fences. */
export const matchCode: Rule = (scan, at) => {
  const span = scan.code.get(at);
  if (!span) return undefined;
  const { text, lang, end } = span;
  const place = { from: scan.origin(at), to: scan.origin(end) };
  if (lang === undefined) return { tokens: [{ type: 'codespan', text, ...place }], end };
  const code = scan.nesting.inList ? withoutMargin(text) : text;
  return { tokens: [{ type: 'code', text: code, lang, ...place }], end };
};

/**
 * In a list, code is indented to stand under its item's text. This removes the indentation that all lines of the code
 * share, and the blank line that the closing fence's own indentation leaves at the end.
 */
function withoutMargin(code: string): string {
  const lines = code.split('\n');
  const written = lines.slice(0, lines.findLastIndex(isWritten) + 1);
  const margin = Math.min(...written.filter(isWritten).map((line) => line.search(/[^ ]/)));
  return written.map((line) => line.slice(margin)).join('\n');
}

function isWritten(line: string): boolean {
  return line.trim() !== '';
}
