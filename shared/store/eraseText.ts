import { MAX_GROWTH, MAX_SHORT_TEXT, MAX_TEXT } from '../exportFormat/limits.js';
import type { ErasedPeople } from './erasures.js';
import { plainBeginnings, plainName } from './plainName.js';
import { ERASED_AUTHOR, ERASED_ID } from './redacted.js';

/**
 * Takes erased people out of the texts of one message: `deleted-user` stands in place of a name. An import takes a text
 * of at most `most` characters, by default MAX_TEXT. If a text would become longer than that, or all texts together
 * longer by more than MAX_GROWTH, `0` takes the place of each name in it, so that it becomes no longer. When the names
 * of all texts together have cost more than MOST_EFFORT, the rest of the text is cut off, unread.
 */
export interface TextEraser {
  /**
   * Removes their mentions, addresses and ids, and `@Name` where the name is known to be theirs. Exporters turn
   * `cc<@id>s` into `cc@Names`. So a name is removed whatever stands before its `@` and after it.
   */
  text: (text: string, most?: number) => string;
  /**
   * Does the same, and removes `@Name` for every known name of an erased person. It is for texts whose mentions are not
   * known.
   */
  untold: (text: string, most?: number) => string;
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
const NAME_ENDS = new RegExp(NAME_END, 'uy');
/**
 * Matches where a name may end in a text that may be in italics. Underscores alone may end italics, so they do not count.
 */
const MENTION_END = new RegExp(`(?!(?<=${WORD})_*(?!_)${WORD}|${ATTACHED})`, 'uy');
/** Matches where a name may begin in a title: not inside a word. */
const NAME_STARTS = new RegExp(`(?<!${WORD}(?=${WORD}))`, 'uy');
/** Matches an @ in a title that belongs to the name behind it. That of an address does not. */
const SIGN_STARTS = new RegExp(`(?<!${WORD})@`, 'uy');

/**
 * Matches an @, and captures what follows it as far as a name may reach. U+FEFF counts as a space, but is not shown. So
 * a name may begin behind it.
 */
const NAMED = /@(?=((?![^\S\ufeff])[^\n]{1,64}))/g;
/** Matches where a name of one letter may end. Such a letter begins many words, so no letter or digit may follow. */
const LETTER_END = `(?![\\p{L}\\p{N}_]|${ATTACHED})`;
const LETTER_ENDS = new RegExp(LETTER_END, 'uy');

/**
 * Matches an escaped sign of markdown. Records hold the texts of a poll with such escapes, since the platform shows these
 * texts without reading any markdown in them.
 */
const ESCAPED = /\\([!-/:-@[-`{-~])/g;

/** Words by which the platform mentions everybody. They never mention a person who has one of them as a name. */
export const EVERYBODY: readonly string[] = ['everyone', 'here'];

/**
 * How much effort the names of one message or title may take: a comparison counts 1, and a hash EFFORT_OF_HASH. Every
 * message that the platform allows takes less. Without a limit, a forged message would keep the process busy for half a
 * minute.
 */
const MOST_EFFORT = 3_000_000;
const EFFORT_OF_HASH = 40;

/** All parts of a text that may be ids of people, in order. */
export function idsIn(text: string): string[] {
  return text.match(ID) ?? [];
}

/**
 * Makes an eraser. `names` are the names that these texts may write after an @ for erased people. A longer name among
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
  // Records of earlier versions may hold names with two spaces in a row, which plain names do not have.
  const theirs = new Set(names.map((name) => lowerCase(plainName(name))));
  const kept = new Set(others.map((name) => lowerCase(plainName(name))));
  let effort = 0;
  const isErased = (name: string): boolean => {
    effort += EFFORT_OF_HASH;
    return erased.isName(name);
  };
  const withoutNames = (
    said: string,
    somebody: string,
    isKnown: (name: string) => boolean,
  ): string => {
    let clean = '';
    let done = 0;
    for (const { index, 1: after = '' } of said.matchAll(NAMED)) {
      if (index < done || isSomebody(after)) continue;
      effort += after.length;
      if (effort > MOST_EFFORT) return clean + said.slice(done, index);
      const { length, isTheirs } = nameAt(after, { theirs, kept, isKnown });
      const end = index + 1 + length;
      clean += isTheirs ? `${said.slice(done, index)}@${somebody}` : said.slice(done, end);
      done = end;
    }
    return clean + said.slice(done);
  };
  const withoutIds = (said: string, somebody: string): string =>
    said
      .replace(MENTION, (whole, id: string) => (erased.has(id) ? `@${somebody}` : whole))
      .replace(ADDRESS, (found) => {
        const address = linkedPart(found);
        return isAbout(address) ? `[deleted]${found.slice(address.length)}` : found;
      });
  let room = MAX_GROWTH;
  const bounded = (said: string, most: number, erase: (somebody: string) => string): string => {
    const before = effort;
    const clean = erase(SOMEBODY);
    const growth = clean.length - said.length;
    if (growth > 0 && (clean.length > most || growth > room)) {
      // The same names are read once more, so that costs nothing of what other texts may take.
      effort = before;
      return erase(ERASED_ID);
    }
    room -= Math.max(0, growth);
    return clean;
  };
  return {
    ids,
    isAbout,
    isName: (name) =>
      [name, name.replace(TAG, '')].some((one) => names.includes(one) || erased.isName(one)),
    text: (said, most = MAX_TEXT) =>
      bounded(said, most, (somebody) => {
        const plain = withoutIds(said, somebody);
        return ids(names.length === 0 ? plain : withoutNames(plain, somebody, isNobody));
      }),
    untold: (said, most = MAX_TEXT) =>
      bounded(said, most, (somebody) =>
        ids(withoutNames(withoutIds(said, somebody), somebody, isErased)),
      ),
  };
}

/**
 * An address up to the first closing parenthesis without an opening one before it. Such a parenthesis does not belong to
 * the address. It closes a link of the platform's markdown: `[profile](https://…/users/1)`.
 */
function linkedPart(address: string): string {
  let open = 0;
  for (const { 0: sign, index } of address.matchAll(/[()]/g)) {
    open += sign === '(' ? 1 : -1;
    if (open < 0) return address.slice(0, index);
  }
  return address;
}

/** Whether a text begins with the text that replaces names. A longer name that begins so does not count. */
function isSomebody(after: string): boolean {
  return after.startsWith(SOMEBODY) && matchesAt(MENTION_END, after, SOMEBODY.length);
}

function isNobody(): boolean {
  return false;
}

interface Names {
  /** The names that this text may write in lower case: of erased people (`theirs`), and of others (`kept`). */
  theirs: ReadonlySet<string>;
  kept: ReadonlySet<string>;
  /** Whether a name is one of an erased person, even if the text does not tell whom it mentions. */
  isKnown: (name: string) => boolean;
}

/** A name with which a text begins, and whether it is an erased person's. It has the length 0 where there is none. */
interface FoundName {
  length: number;
  isTheirs: boolean;
}

/**
 * The longest name with which a text begins, as the text is written or as readers see it, without escapes: `\_ada\_` is
 * the name `_ada_`. A name may hold a backslash itself, so the text as it is written counts, too.
 */
function nameAt(after: string, names: Names): FoundName {
  const written = longestName(after, names);
  const shown = after.replace(ESCAPED, '$1');
  if (shown === after) return written;
  const { length, isTheirs } = longestName(shown, names);
  const end = lengthWithEscapes(after, length);
  return end > written.length ? { length: end, isTheirs } : written;
}

/** How many characters of a text stand for the first `length` ones that are left of it without its escapes. */
function lengthWithEscapes(text: string, length: number): number {
  let end = length;
  for (const { index } of text.matchAll(ESCAPED)) if (index < end) end += 1;
  return end;
}

function longestName(after: string, { theirs, kept, isKnown }: Names): FoundName {
  // Names known only by their hashes are looked for up to the second @ of the text. So a name may hold one @ itself,
  // such as Ada @ Work. Looking further would hash too many candidates.
  const reach = after.split('@', 2).join('@').length;
  for (const { length, name } of plainBeginnings(after).reverse()) {
    if (EVERYBODY.includes(name) || name === SOMEBODY) return { length, isTheirs: false };
    const small = lowerCase(name);
    const isTold = theirs.has(small) && (length > 1 || matchesAt(LETTER_ENDS, after, length));
    const isTheirs =
      isTold ||
      (length <= reach &&
        matchesAt(length > 1 ? MENTION_END : LETTER_ENDS, after, length) &&
        isKnown(name));
    if (isTheirs || kept.has(small)) return { length, isTheirs };
  }
  return { length: 0, isTheirs: false };
}

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

function lowerCase(name: string): string {
  return name.toLowerCase();
}

/**
 * A title in which these names are replaced, wherever they stand as whole words. They are replaced by `0` where the
 * title would become too long to be imported again. Where all that costs more than MOST_EFFORT, the rest of the title is
 * cut off, unread.
 */
export function eraseNames(title: string, names: readonly string[]): string {
  const clean = replaceNames(title, names, SOMEBODY);
  const isTooLong = clean.length > Math.max(title.length, MAX_SHORT_TEXT);
  return isTooLong ? replaceNames(title, names, ERASED_ID) : clean;
}

function replaceNames(title: string, names: readonly string[], somebody: string): string {
  const words = names.filter(({ length }) => length > 1);
  if (words.length === 0) return title;
  // A name may be part of the text that replaces names. That text is then replaced by itself.
  words.push(SOMEBODY);
  const theirs = new Set(words.map(lowerCase));
  const lengths = [...new Set(words.map(({ length }) => length))].sort((one, other) => other - one);
  let effort = 0;
  /** The end of the longest name that begins at `from`; -1 where none does. */
  const endOf = (from: number): number => {
    const isName = (length: number): boolean => {
      effort += length;
      const candidate = lowerCase(title.slice(from, from + length));
      return theirs.has(candidate) && matchesAt(NAME_ENDS, title, from + length);
    };
    const length = lengths.find(isName);
    return length === undefined ? -1 : from + length;
  };
  let clean = '';
  let done = 0;
  for (let at = 0; at < title.length; at += 1) {
    if (!matchesAt(NAME_STARTS, title, at)) continue;
    if (effort > MOST_EFFORT) return clean + title.slice(done, at);
    const behindSign = matchesAt(SIGN_STARTS, title, at) ? endOf(at + 1) : -1;
    const end = behindSign < 0 ? endOf(at) : behindSign;
    if (end < 0) continue;
    clean += title.slice(done, at) + somebody;
    done = end;
    at = end - 1;
  }
  return clean + title.slice(done);
}
