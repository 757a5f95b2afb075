/** Longest content (UTF-16 code units) that is read as markdown; Discord's own limit is 4,000. */
export const MAX_MARKUP_LENGTH = 6_000;

const COLOUR_CODES = /\u001b\[[\d;]{0,20}m/g;
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufdd0-\ufdef\ufffe\uffff]/g;
const SUSPECT = new RegExp(`[\\r\\u001b]|${CONTROLS.source}|\\p{Surrogate}`, 'u');
const DIRECTION_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Text with line feeds for line ends, without control characters and colour codes. A lone surrogate becomes U+FFFD. */
export function prepareText(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text
    .replace(/\r\n?/g, '\n')
    .replace(COLOUR_CODES, '')
    .replace(CONTROLS, '')
    .replace(/\p{Surrogate}/gu, '\ufffd');
}

/** A name on one line, without characters that turn the direction of the text around it. */
export function prepareName(name: string): string {
  return prepareText(name).replace(DIRECTION_CONTROLS, '').replace(/\s+/g, ' ').trim();
}
