const EAST_ASIAN = ['Han', 'Hira', 'Kana'];
const SOUTHEAST_ASIAN = ['Thai', 'Lao', 'Mymr', 'Khmr'];
const SPACELESS = [...EAST_ASIAN, ...SOUTHEAST_ASIAN];

/** Matches a character of Thai, Lao, Burmese or Khmer. */
export const SOUTHEAST_ASIAN_LETTER = letterOf('sc', SOUTHEAST_ASIAN);

/** Matches a character of a script that puts no spaces between words. */
export const SPACELESS_LETTER = letterOf('sc', SPACELESS);

/** Matches a character of a script without spaces, or of Korean. The index makes a word of each. */
export const SINGLE_LETTER = letterOf('sc', [...SPACELESS, 'Hang']);

/**
 * Matches a character that may stand directly beside a quotation mark: one of a script that puts no spaces between
 * words, or of Korean, whose endings follow the quotation mark without a space. A sign that several scripts share, such
 * as the `ー` of Japanese, belongs to each of them.
 */
export const UNSPACED_LETTER = letterOf('scx', [...SPACELESS, 'Hang']);

/** A class of regular expressions. `sc` gives each character one script; `scx` all scripts that use it. */
function letterOf(property: 'sc' | 'scx', scripts: readonly string[]): string {
  return `[${scripts.map((script) => `\\p{${property}=${script}}`).join('')}]`;
}
