import type { ErasedPeople } from './erasures.js';
import { ERASED_AUTHOR, ERASED_ID } from './redacted.js';

/** Takes erased people out of texts. */
export interface TextEraser {
  /**
   * Mentions, addresses and ids of them, and `@Name` where the name is known to be theirs. Of `cc<@id>s` an exporter
   * makes `cc@Names`: so a name goes whatever stands before its `@`, and after it.
   */
  text: (text: string) => string;
  /** The same, and `@Name` by every name that is known of erased people: for texts that do not tell whom they mention. */
  untold: (text: string) => string;
  /** Their ids alone. */
  ids: (text: string) => string;
  /** Whether an address holds the id of one. */
  isAbout: (url: string | null | undefined) => boolean;
  /** Whether a text is a name of theirs. */
  isName: (text: string) => boolean;
}

const SOMEBODY = ERASED_AUTHOR.displayName;
const MENTION = /<@!?(\d{17,20})>/g;
const ADDRESS = /https?:\/\/[^\s<>"]+/g;
const ID = /(?<!\d)\d{17,20}(?!\d)/g;
/**
 * A letter of a script that puts spaces between words, a digit or the underscore: between two of these, a name is part
 * of a word. In other scripts the next word follows without a space: `@田中さん` mentions 田中.
 */
export const WORD = '[\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}\\p{N}_]';

/** What stands after an @, as far as a name may reach. It may hold another @ itself, such as Ada @ Work. */
const NAMED = /@(?=((?!\s)[^@\n]{0,63}(?:@[^@\n]{0,62})?))/g;
const LONGEST_NAME = 64;
/** Matches where a word goes on. Underscores alone do not count, as they may end a text in italics. */
const INSIDE = new RegExp(`(?<=${WORD})_*(?!_)${WORD}`, 'uy');

/** What may be ids of people in a text, in order. */
export function idsIn(text: string): string[] {
  return text.match(ID) ?? [];
}

/**
 * An eraser of these people; `names` are theirs as this text may write them after an @. A longer one among the names of
 * `others` stays: `@Adam` is not Ada.
 */
export function textEraser(
  erased: ErasedPeople,
  names: readonly string[] = [],
  others: readonly string[] = [],
): TextEraser {
  const isAbout = (url: string | null | undefined): boolean =>
    idsIn(url ?? '').some((id) => erased.has(id));
  const ids = (text: string): string => text.replace(ID, (id) => (erased.has(id) ? ERASED_ID : id));
  const mentioned = names.length === 0 ? null : anyOf([...names, ...others], '@');
  const theirs = new Set(names.map((name) => `@${name.toLowerCase()}`));
  const kept = new Set(
    others.map((name) => `@${name.toLowerCase()}`).filter((one) => !theirs.has(one)),
  );
  const erase = (found: string): string => (kept.has(found.toLowerCase()) ? found : `@${SOMEBODY}`);
  const text = (said: string): string => {
    const plain = said
      .replace(MENTION, (whole, id: string) => (erased.has(id) ? `@${SOMEBODY}` : whole))
      .replace(ADDRESS, (address) => (isAbout(address) ? '[deleted]' : address));
    return ids(mentioned ? plain.replace(mentioned, erase) : plain);
  };
  return {
    ids,
    isAbout,
    isName: (name) => names.includes(name) || erased.isName(name),
    text,
    untold(said) {
      let clean = '';
      let done = 0;
      for (const { index, 1: after = '' } of said.matchAll(NAMED)) {
        if (index < done) continue;
        const length = nameLength(after.slice(0, LONGEST_NAME), erased);
        if (length === 0) continue;
        clean += `${said.slice(done, index)}@${SOMEBODY}`;
        done = index + 1 + length;
      }
      return text(clean + said.slice(done));
    },
  };
}

/** The length of the longest name of somebody erased with which a text begins; 0 where it begins with none. */
function nameLength(after: string, erased: ErasedPeople): number {
  for (let end = after.length; end > 1; end -= 1) {
    const name = after.slice(0, end);
    if (/\s$/.test(name)) continue;
    INSIDE.lastIndex = end;
    // A name may be a part of what stands in place of names. That is replaced by itself.
    if (!INSIDE.test(after) && (name === SOMEBODY || erased.isName(name))) return end;
  }
  return 0;
}

/** A title without somebody's names, wherever they stand as words of their own. */
export function eraseNames(title: string, names: readonly string[]): string {
  const start = `(?:(?<!${WORD})@|(?<!${WORD}(?=${WORD})))`;
  const pattern = anyOf(names, start, `(?!(?<=${WORD})${WORD})`);
  return pattern ? title.replace(pattern, SOMEBODY) : title;
}

/** A pattern for any of the names, with `before` in front of it and `after` behind, ignoring case; null without names. */
function anyOf(names: readonly string[], before: string, after = ''): RegExp | null {
  const long = names.filter((name) => name.length > 1);
  if (long.length === 0) return null;
  // A name may be a part of what stands in place of names. That is replaced by itself.
  const literal = [...new Set([...long, SOMEBODY])]
    .sort((left, right) => right.length - left.length)
    .map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return new RegExp(`${before}(?:${literal.join('|')})${after}`, 'giu');
}
