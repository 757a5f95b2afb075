import type { ExportEmoji, ExportUser } from '../../../shared/exportFormat/exportTypes.js';
import { MAX_GROWTH, MAX_TEXT } from '../../../shared/exportFormat/limits.js';
import { EVERYBODY, NAME_END, WORD } from '../../../shared/store/eraseText.js';
import { outsideShownCode } from '../content/outsideShownCode.js';
import { longestWordOf } from './longestWord.js';

/** What a message tells about the names that stand in its texts in place of ids. */
export interface FlattenedNames {
  mentions: readonly Pick<ExportUser, 'id' | 'name' | 'nickname'>[];
  /** Whether a mention may have been replaced by the username of a person who has a nickname. */
  mayBeUsernames?: boolean;
  emojis: readonly ExportEmoji[];
}

/** Longer names are not looked for. Names of the platform have at most 32 characters. */
const MAX_NAME = 100;
/**
 * Names with more `@` than this are not looked for. A search for a name begins at each `@`. With few of them in a name,
 * few searches read the same text.
 */
const MAX_AT_SIGNS = 3;

type Replace = (text: string) => string;

/** Where a name may begin, behind a mark of one character, and where it may end. */
interface Bounds {
  start: RegExp;
  end: RegExp;
}
const MENTION: Bounds = {
  start: new RegExp(`(?<!${WORD})@`, 'gu'),
  end: new RegExp(NAME_END, 'uy'),
};
const EMOJI: Bounds = {
  start: new RegExp(`(?<!<a?|${WORD}):`, 'gu'),
  end: new RegExp(`(?!${WORD})`, 'uy'),
};
const ADDRESS = /((?:https?:\/\/|www\.)[^\s<>]+)/iu;
const RAW_MENTION = /<@!?\d+>/u;
const RAW_EMOJI = /<a?:\w+:\d+>/u;

/**
 * Puts ids back into the texts of one message, in which an exporter has replaced them by names. `@Nickname` becomes
 * `<@id>`, and `:name:` becomes `<:name:id>` or `<a:name:id>`, except in code, addresses and words. A name that two
 * people share stays as it is. A text that already holds a mention with an id gets no further mentions, and the same
 * holds for emojis. A text is not changed where it would become too long, or make the message too large for the store.
 *
 * Returns a function that takes the emojis of an embed, if it has its own. That function returns another one, which
 * changes a text. The mentions and emojis of the message are prepared once for all its texts.
 */
export function restorer({
  mentions,
  mayBeUsernames = false,
  emojis,
}: FlattenedNames): (own?: readonly ExportEmoji[]) => Replace {
  const restoreMentions = once(() => mentionStep(mentions, mayBeUsernames));
  const restoreEmojis = once(() => emojiStep(emojis));
  let room = MAX_GROWTH;
  return (own = []) => {
    const restoreOwn = once(() => emojiStep(own));
    return (text) => {
      const steps = [
        ...(text.includes('@') && !RAW_MENTION.test(text) ? restoreMentions() : []),
        ...(text.includes(':') && !RAW_EMOJI.test(text)
          ? [...restoreOwn(), ...restoreEmojis()]
          : []),
      ];
      const restored = steps.length === 0 ? text : restoreOutside(text, steps);
      const growth = restored.length - text.length;
      if (restored.length > MAX_TEXT || growth > room) return text;
      room -= growth;
      return restored;
    };
  };
}

/** Takes the steps over all parts of a text that are neither code nor an address. */
function restoreOutside(text: string, steps: readonly Replace[]): string {
  const restore: Replace = (plain) => steps.reduce((result, step) => step(result), plain);
  return outsideShownCode(text, (piece) =>
    // Every second part is an address.
    piece
      .split(ADDRESS)
      .map((part, n) => (n % 2 === 0 ? restore(part) : part))
      .join(''),
  );
}

/**
 * Makes a value when it is first needed, and keeps it. Most messages mention nobody, and preparing a search costs more
 * than reading their text.
 */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function mentionStep(mentions: FlattenedNames['mentions'], mayBeUsernames: boolean): Replace[] {
  const found = new Map<string, string | null>();
  for (const { id, name = '', nickname } of mentions) {
    const mention = `<@${id}>`;
    for (const shown of new Set([nickname ?? name, ...(mayBeUsernames ? [name] : [])])) {
      if (!isName(shown) || EVERYBODY.includes(shown)) continue;
      if (shown.split('@').length > MAX_AT_SIGNS + 1) continue;
      found.set(shown, found.has(shown) && found.get(shown) !== mention ? null : mention);
    }
  }
  return replaceStep(found, MENTION);
}

function emojiStep(emojis: readonly ExportEmoji[]): Replace[] {
  const custom = emojis.filter(({ id, name }) => id && isName(name) && !name.includes(':'));
  const found = new Map(
    custom.map(({ id, name, isAnimated }) => [
      `${name}:`,
      `<${isAnimated ? 'a' : ''}:${name}:${id}>`,
    ]),
  );
  return replaceStep(found, EMOJI);
}

/**
 * Whether a name can stand in a text: it is neither empty nor too long, and has no lone surrogate, as no text has one.
 */
function isName(name: string): boolean {
  return name !== '' && name.length <= MAX_NAME && !/\p{Surrogate}/u.test(name);
}

/** Replaces the longest name at each place, its mark included. A name whose replacement is null stays. */
function replaceStep(
  replacements: ReadonlyMap<string, string | null>,
  { start, end }: Bounds,
): Replace[] {
  if (replacements.size === 0) return [];
  const longestWord = longestWordOf(replacements.keys());
  return [
    (text) => {
      const mayEnd = (at: number): boolean => {
        end.lastIndex = at;
        return end.test(text);
      };
      let result = '';
      let from = 0;
      start.lastIndex = 0;
      while (start.test(text)) {
        const nameStart = start.lastIndex;
        const nameEnd = longestWord(text, nameStart, mayEnd);
        if (nameEnd < 0) continue;
        start.lastIndex = nameEnd;
        const replacement = replacements.get(text.slice(nameStart, nameEnd));
        if (!replacement) continue;
        result += text.slice(from, nameStart - 1) + replacement;
        from = nameEnd;
      }
      return result + text.slice(from);
    },
  ];
}
