import type { ExportEmoji, ExportUser } from '../../../shared/exportFormat/exportTypes.js';

/** What a message tells about the names that its text was flattened to. */
export interface FlattenedNames {
  mentions: readonly Pick<ExportUser, 'id' | 'name' | 'nickname'>[];
  emojis: readonly ExportEmoji[];
}

// Text longer than this could not be imported again once exported.
const MAX_TEXT = 65_536;

type Replace = (text: string) => string;

// Letters of scripts that put spaces between words, digits and the underscore: beside them a name is part of a word.
const WORD = '[\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}\\p{N}_]';
const ADDRESS = /(?:https?:\/\/|www\.)[^\s<>]+/giu;
const RAW_MENTION = /<@!?\d+>/u;
const RAW_EMOJI = /<a?:\w+:\d+>/u;

/**
 * A function that puts ids back into flattened text: `@Nickname` becomes `<@id>`, `:name:` becomes `<:name:id>` or
 * `<a:name:id>`, outside code, addresses and words. A nickname of two people is left as it is, and so is text that
 * still holds ids.
 */
export function restorer({ mentions, emojis }: FlattenedNames): Replace {
  const restoreMentions = once(() => mentionStep(mentions));
  const restoreEmojis = once(() => emojiStep(emojis));
  return (text) => {
    const steps = [
      ...(text.includes('@') && !RAW_MENTION.test(text) ? restoreMentions() : []),
      ...(text.includes(':') && !RAW_EMOJI.test(text) ? restoreEmojis() : []),
    ];
    if (steps.length === 0) return text;
    const restore: Replace = (plain) => steps.reduce((result, step) => step(result), plain);
    const restored = outside(codeRanges(text), text, (plain) =>
      outside(addressRanges(plain), plain, restore),
    );
    return restored.length > MAX_TEXT ? text : restored;
  };
}

/** Most messages mention nobody, and to compile a pattern costs more than to read their text. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function mentionStep(mentions: FlattenedNames['mentions']): Replace[] {
  const ids = new Map<string, string | null>();
  for (const { id, name, nickname } of mentions) {
    const shown = nickname ?? name;
    if (!shown) continue;
    ids.set(shown, ids.has(shown) && ids.get(shown) !== id ? null : id);
  }
  if (ids.size === 0) return [];
  // The last part: a nickname that ends in a letter must not go on as a word.
  const pattern = new RegExp(
    `(?<!${WORD})@(${anyOf([...ids.keys()])})(?!(?<=${WORD})${WORD})`,
    'gu',
  );
  return [
    (text) =>
      text.replace(pattern, (whole, name: string) => {
        const id = ids.get(name);
        return id ? `<@${id}>` : whole;
      }),
  ];
}

function emojiStep(emojis: readonly ExportEmoji[]): Replace[] {
  const custom = new Map(emojis.filter(({ id }) => id).map((emoji) => [emoji.name, emoji]));
  if (custom.size === 0) return [];
  const pattern = new RegExp(`(?<!<a?|${WORD}):(${anyOf([...custom.keys()])}):(?!${WORD})`, 'gu');
  return [
    (text) =>
      text.replace(pattern, (whole, name: string) => {
        const emoji = custom.get(name);
        return emoji?.id ? `<${emoji.isAnimated ? 'a' : ''}:${name}:${emoji.id}>` : whole;
      }),
  ];
}

/** An alternation of literal texts, the longest first. */
function anyOf(texts: readonly string[]): string {
  return [...texts]
    .sort((a, b) => b.length - a.length)
    .map((text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    .join('|');
}

type Range = readonly [start: number, end: number];

function outside(ranges: Iterable<Range>, text: string, replace: Replace): string {
  let result = '';
  let from = 0;
  for (const [start, end] of ranges) {
    result += replace(text.slice(from, start)) + text.slice(start, end);
    from = end;
  }
  return result + replace(text.slice(from));
}

function addressRanges(text: string): Range[] {
  return [...text.matchAll(ADDRESS)].map(({ 0: found, index }) => [index, index + found.length]);
}

/** Fenced blocks and code spans: a run of backticks up to the next run of the same length (three or more: a fence). */
function codeRanges(text: string): Range[] {
  const runs = [...text.matchAll(/`+/g)];
  const closers = [1, 2, 3].map((size) => runs.filter(({ 0: run }) => fenceSize(run) === size));
  const ranges: Range[] = [];
  const opener = /\\[^]|`+/g;
  for (let open = opener.exec(text); open; open = opener.exec(text)) {
    if (open[0].startsWith('\\')) continue;
    const waiting = closers[fenceSize(open[0]) - 1]!;
    const close = firstFrom(waiting, opener.lastIndex);
    if (!close) continue;
    ranges.push([open.index, close.index + close[0].length]);
    opener.lastIndex = close.index + close[0].length;
  }
  return ranges;
}

function fenceSize(run: string): number {
  return Math.min(run.length, 3);
}

/** The first match at or after `from`; those before it are dropped, as `from` only grows. */
function firstFrom(matches: RegExpExecArray[], from: number): RegExpExecArray | undefined {
  const index = matches.findIndex((match) => match.index >= from);
  matches.splice(0, index < 0 ? matches.length : index);
  return matches[0];
}
