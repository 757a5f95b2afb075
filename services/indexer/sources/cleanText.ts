import { plainName } from '../../../shared/store/plainName.js';

const LONE_SURROGATE = /\p{Surrogate}/gu;
const MAX_NAME = 200;
const ENDING = /\.\w{1,20}$/;
/** A character that readers can see. Some people use names of blank letters, such as U+3164 and U+2800. */
const VISIBLE = /[^\s\u2800\p{Default_Ignorable_Code_Point}]/u;

/**
 * A name or title for one line: safe characters only, trimmed, at most 200 characters. The fallback takes the place of
 * a name in which nothing can be seen.
 */
export function cleanName(text: string | null | undefined, fallback: string): string {
  const name = cut(plainName(wellFormed(text ?? '')), MAX_NAME).trim();
  return VISIBLE.test(name) ? name : fallback;
}

/**
 * A file's name, cleaned as other names are. It also loses its folder, and dots and spaces in front, because readers
 * save attachments under it. A long name is cut before its ending, which tells what kind of file it is.
 */
export function cleanFileName(text: string): string {
  const name = plainName(wellFormed(text))
    .split(/[\\/]/)
    .at(-1)!
    .replace(/^[.\s]+/, '');
  const ending = ENDING.exec(name)?.[0] ?? '';
  const stem = name.slice(0, name.length - ending.length);
  return cleanName(`${cut(stem, MAX_NAME - ending.length)}${ending}`, 'file');
}

/** A name cleaned by `cleanName`; null where nothing can be seen in it. */
export function nameOrNull(name: string | null | undefined): string | null {
  return cleanName(name, '') || null;
}

/** Text as said. Only what no text may hold is replaced (lone surrogates) or dropped (NUL). */
export function cleanContent(text: string | null | undefined): string {
  return wellFormed(text ?? '').replaceAll('\0', '');
}

/** Text cleaned by `cleanContent`; null when nothing is left of it. */
export function contentOrNull(text: string | null | undefined): string | null {
  return cleanContent(text) || null;
}

function wellFormed(text: string): string {
  return text.replace(LONE_SURROGATE, '\ufffd');
}

/** At most `max` code points. */
function cut(text: string, max: number): string {
  return text.length <= max ? text : Array.from(text).slice(0, max).join('');
}
