import { escapeText } from './escapeHtml.js';
import { PART_BREAK } from './partBreak.js';

const MARKUP = /[*_~|`<[\\]|https?:\/\/|^[ \t]*(?:[-#>]|\d+\.)/im;
/** A letter. The sign ℹ is one, too, but begins an emoji. */
const LETTER = /(?!\u2139)\p{L}/u;

/** Whether text surely holds no markup: no marker, no address, and not emojis alone. */
export function isPlain(text: string): boolean {
  return !MARKUP.test(text) && LETTER.test(text);
}

/** Text without markup as HTML: paragraphs between blank lines, line breaks inside them. */
export function renderPlain(text: string): string {
  return text
    .split(PART_BREAK)
    .flatMap((part) => part.split(/\n(?:[ \t]*\n)+/))
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => `<p>${escapeText(paragraph).replaceAll('\n', '<br />')}</p>`)
    .join('');
}
