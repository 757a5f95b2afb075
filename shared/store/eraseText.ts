import type { ErasedPeople } from './erasures.js';
import { plainName, UNSAFE_CHARACTERS } from './plainName.js';
import { ERASED_AUTHOR, ERASED_ID } from './redacted.js';

/** Takes erased people out of texts. */
export interface TextEraser {
  /**
   * Removes their mentions, addresses and ids, and `@Name` where the name is known to be theirs. Exporters turn
   * `cc<@id>s` into `cc@Names`. So a name is removed whatever stands before its `@` and after it.
   */
  text: (text: string) => string;
  /**
   * Does the same, and removes `@Name` for every known name of an erased person. It is for texts whose mentions are not
   * known. Where all such texts together cost more than MOST_LOOKS, the rest is cut off, unread.
   */
  untold: (text: string) => string;
  /** Replaces only their ids. */
  ids: (text: string) => string;
  /** Whether an address holds the id of an erased person. */
  isAbout: (url: string | null | undefined) => boolean;
  /** Whether a text is the name of an erased person. */
  isName: (text: string) => boolean;
}

const SOMEBODY = ERASED_AUTHOR.displayName;
const MENTION = /<@!?(\d{17,20})>/g;
const ADDRESS = /https?:\/\/[^\s<>"]+/g;
const ID = /(?<!\d)\d{17,20}(?!\d)/g;
/** Matches the number at the end of an older tag of the platform, such as Ada#1234. */
const TAG = /#(?:0|\d{4})$/;
/**
 * Matches a digit, the underscore, or a letter of a script that puts spaces between words. Between two of these, a name
 * is part of a word. In other scripts the next word follows without a space: `@田中さん` mentions 田中.
 */
export const WORD = '[\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}\\p{N}_]';

/** Matches a part of the character before it. `Jose` followed by an accent is another name than Jose. */
const ATTACHED = '[\\p{M}\\p{Emoji_Modifier}\\u200d]';
/** Matches where a name may end: neither inside a word, nor inside a character. */
export const NAME_END = `(?!(?<=${WORD})${WORD}|${ATTACHED})`;

/**
 * Matches an @, and captures what follows it as far as a name may reach. A name may hold another @, such as Ada @ Work.
 */
const NAMED = /@(?=((?!\s)[^@\n]{0,63}(?:@[^@\n]{0,62})?))/g;
const LONGEST_NAME = 64;
/** The same in a text that may be in italics. Underscores alone may end italics, so they do not count. */
const MENTION_END = new RegExp(`(?!(?<=${WORD})_*(?!_)${WORD}|${ATTACHED})`, 'uy');
/** Matches where a name of one letter may end. Such a letter begins many words, so no letter or digit may follow. */
const LETTER_END = `(?![\\p{L}\\p{N}_]|${ATTACHED})`;
const LETTER_ENDS = new RegExp(LETTER_END, 'uy');

/** Words by which the platform mentions everybody. They never mention a person who has one of them as a name. */
const EVERYBODY = ['everyone', 'here'];

/**
 * How many look-ups of names one message may cost. The embeds that the platform allows, and those of a forwarded copy,
 * cost less. Without a limit, a forged message would keep the process busy for half a minute.
 */
const MOST_LOOKS = 50_000;

/** All parts of a text that may be ids of people, in order. */
export function idsIn(text: string): string[] {
  return text.match(ID) ?? [];
}

/**
 * Makes an eraser. `names` are the names that this text may write after an @ for erased people. A longer name among
 * those of `others` stays: `@Adam` is not Ada.
 */
export function textEraser(
  erased: ErasedPeople,
  names: readonly string[] = [],
  others: readonly string[] = [],
): TextEraser {
  const isAbout = (url: string | null | undefined): boolean =>
    idsIn(url ?? '').some((id) => erased.has(id));
  const ids = (text: string): string => text.replace(ID, (id) => (erased.has(id) ? ERASED_ID : id));
  const mentioned = names.length === 0 ? null : mentionOf([...names, ...others]);
  const theirs = new Set(names.map(lowerCase));
  const kept = new Set(others.map(lowerCase).filter((name) => !theirs.has(name)));
  const erase = (found: string): string => {
    const name = plainName(found.slice(1));
    return EVERYBODY.includes(name) || kept.has(lowerCase(name)) ? found : `@${SOMEBODY}`;
  };
  let looks = 0;
  const isTheirs = (name: string): boolean => {
    looks += 1;
    return !EVERYBODY.includes(name) && erased.isName(name);
  };
  const text = (said: string): string => {
    const plain = said
      .replace(MENTION, (whole, id: string) => (erased.has(id) ? `@${SOMEBODY}` : whole))
      .replace(ADDRESS, (address) => (isAbout(address) ? '[deleted]' : address));
    return ids(mentioned ? plain.replace(mentioned, erase) : plain);
  };
  return {
    ids,
    isAbout,
    isName: (name) =>
      [name, name.replace(TAG, '')].some((one) => names.includes(one) || erased.isName(one)),
    text,
    untold(said) {
      let clean = '';
      let done = 0;
      for (const { index, 1: after = '' } of said.matchAll(NAMED)) {
        if (index < done) continue;
        if (looks >= MOST_LOOKS) return text(clean + said.slice(done, index));
        const length = nameLength(after.slice(0, LONGEST_NAME), isTheirs, kept);
        if (length === 0) continue;
        clean += `${said.slice(done, index)}@${SOMEBODY}`;
        done = index + 1 + length;
      }
      return text(clean + said.slice(done));
    },
  };
}

/**
 * The length of the longest name of somebody erased with which a text begins; 0 where it begins with none, or with a
 * longer one that is kept.
 */
function nameLength(
  after: string,
  isTheirs: (name: string) => boolean,
  kept: ReadonlySet<string>,
): number {
  // The text that replaces names is no name, though a name may be part of it.
  if (after.startsWith(SOMEBODY)) return 0;
  for (let end = after.length; end > 0; end -= 1) {
    if (/\s/.test(after[end - 1]!)) continue;
    const ends = end === 1 ? LETTER_ENDS : MENTION_END;
    ends.lastIndex = end;
    if (!ends.test(after)) continue;
    const name = after.slice(0, end);
    if (isTheirs(name)) return end;
    if (kept.has(lowerCase(name))) return 0;
  }
  return 0;
}

function lowerCase(name: string): string {
  return name.toLowerCase();
}

/** A title in which these names are replaced, wherever they stand as whole words. */
export function eraseNames(title: string, names: readonly string[]): string {
  const words = names.filter((name) => name.length > 1);
  if (words.length === 0) return title;
  const start = `(?:(?<!${WORD})@|(?<!${WORD}(?=${WORD})))`;
  return title.replace(anyOf(words, start, NAME_END), SOMEBODY);
}

/** A pattern for mentions of any of the names, wherever they stand. Unsafe characters may follow the @. */
function mentionOf(names: readonly string[]): RegExp {
  return anyOf([...names, ...EVERYBODY], `@(?:(?!\\n)[${UNSAFE_CHARACTERS}])*`);
}

/** A pattern for any of the names, with `before` in front of it and `after` behind, ignoring case. */
function anyOf(names: readonly string[], before: string, after = ''): RegExp {
  // A name may be part of the text that replaces names. That text is then replaced by itself.
  const literal = [...new Set([...names, SOMEBODY])]
    .sort((left, right) => right.length - left.length)
    .map(literalOf);
  return new RegExp(`${before}(?:${literal.join('|')})${after}`, 'giu');
}

/** A pattern for a name as a text may write it: with more spaces than records keep. */
function literalOf(name: string): string {
  const literal = name
    .replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    .replace(/ +/g, `(?:(?!\\n)[\\s${UNSAFE_CHARACTERS}])+`);
  return name.length > 1 ? literal : literal + LETTER_END;
}
