import { readFileSync } from 'node:fs';
import { SettingsError } from '../../../shared/platform/settingsError.js';
import { foldLetters } from './functionWords.js';
import { bareWord, cleanText, isSearchable, type ParsedQuery } from './parseQuery.js';

/** For each word in the file SEARCH_SYNONYMS, by foldLetters: the words and phrases that count as it. */
export type Synonyms = ReadonlyMap<string, readonly string[]>;

/**
 * Limits of a file (`bytes`), of a line (`each` words), of a word (`characters`), and of a query: at most `terms` of its
 * words get their synonyms, because each synonym makes the query more costly.
 */
const SYNONYM_LIMITS = { bytes: 1_000_000, each: 5, characters: 60, terms: 8 } as const;

/**
 * Reads the synonyms of a file; none without a file. Throws SettingsError that names every wrong line, or where the
 * file cannot be read.
 */
export function readSynonyms(path: string | undefined): Synonyms {
  if (path === undefined) return new Map();
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    throw new SettingsError([`SEARCH_SYNONYMS cannot be read: ${(error as Error).message}`]);
  }
  return parseSynonyms(text, path);
}

/**
 * Parses lines such as `bt, bluetooth`, whose words and phrases count as each other. Empty lines, and lines that begin
 * with #, are ignored. Throws SettingsError that names every wrong line.
 */
export function parseSynonyms(text: string, path: string): Synonyms {
  if (Buffer.byteLength(text) > SYNONYM_LIMITS.bytes) {
    throw new SettingsError([`SEARCH_SYNONYMS, ${path}: more than ${SYNONYM_LIMITS.bytes} bytes`]);
  }
  const synonyms = new Map<string, readonly string[]>();
  const lineOf = new Map<string, number>();
  const problems: string[] = [];
  for (const [index, line] of text.split(/\r?\n/u).entries()) {
    if (/^\s*(#|$)/u.test(line)) continue;
    const words = line.split(',').map((word) => bareWord(cleanText(word)));
    const problem = problemOf(words, lineOf);
    if (problem) problems.push(`SEARCH_SYNONYMS, ${path}, line ${index + 1}: ${problem}`);
    for (const word of words) {
      lineOf.set(foldLetters(word), index + 1);
      synonyms.set(
        foldLetters(word),
        words.filter((other) => other !== word),
      );
    }
  }
  if (problems.length > 0) throw new SettingsError(problems);
  return synonyms;
}

function problemOf(words: readonly string[], lineOf: ReadonlyMap<string, number>): string | null {
  const { each, characters } = SYNONYM_LIMITS;
  if (words.length < 2 || words.length > each) return `must hold 2 to ${each} words or phrases`;
  for (const word of words) {
    if (!isSearchable(word)) return `"${word}" holds no letter and no digit`;
    if (word.length > characters) return `"${word}" is longer than ${characters} characters`;
    const line = lineOf.get(foldLetters(word));
    if (line !== undefined) return `"${word}" stands in line ${line} already`;
  }
  const folded = new Set(words.map(foldLetters));
  return folded.size === words.length ? null : 'a word stands there twice';
}

/**
 * Adds their synonyms to the words of a query, up to SYNONYM_LIMITS.terms words. Quoted phrases get none, as they are
 * meant as written.
 */
export function withSynonyms(parsed: ParsedQuery, synonyms: Synonyms): ParsedQuery {
  if (synonyms.size === 0) return parsed;
  let left: number = SYNONYM_LIMITS.terms;
  const terms = parsed.terms.map((term) => {
    const others = term.phrase || left === 0 ? undefined : synonyms.get(foldLetters(term.text));
    if (others === undefined) return term;
    left -= 1;
    return { ...term, synonyms: others };
  });
  return { ...parsed, terms };
}
