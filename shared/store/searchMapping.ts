import type { estypes } from '@elastic/elasticsearch';

/**
 * Rises with every change of this file that needs a rebuild of the search index. The index stores it in its `_meta`.
 */
export const MAPPING_VERSION = 4;

/**
 * Letters that replace signs which belong to a word (`C++`, `C#`, `.NET`, `--flag`). The standard tokenizer drops the
 * signs. It keeps these rare letters, which look like the signs, as part of the word.
 */
export const SIGN_LETTERS = { '+': 'ᐩ', '#': 'ⵌ', '.': 'ᐧ', '-': 'ᐨ' } as const;

/**
 * Characters that people type as an apostrophe. A word is the same with any of them. A backtick is not among them,
 * because it begins and ends code.
 */
export const APOSTROPHES = ['’', '‘', 'ʼ', 'ʻ', '´', '＇'] as const;

/**
 * Stands in front of a word's stem in the index, which holds the stem beside the word. The tokenizer never makes a
 * token that begins so.
 */
export const STEM_MARK = '=';

/** Matches a word that is not split where letters and digits meet. */
export const LONG_WORD = '[0-9A-Za-z]{41,}';

/** The longest title that is also in the field `heading.whole`, in characters of UTF-16. */
export const LONGEST_WHOLE = 512;

const CJK = '[\\p{IsHan}\\p{IsHiragana}\\p{IsKatakana}\\p{IsHangul}ー]';

const WORD = '[\\p{L}\\p{M}\\p{N}]';

function replace(pattern: string, replacement: string): estypes.AnalysisCharFilter {
  return { type: 'pattern_replace', pattern, replacement };
}

/**
 * Letters of Thai, Lao, Burmese and Khmer, which put no spaces between words. Each letter with its marks is a token,
 * and a word is found as a phrase of these.
 */
function spacelessLetters(): string[] {
  const blocks = [0x0e00, 0x0e80, 0x1000, 0x1080, 0x1780];
  return blocks
    .flatMap((start) => Array.from({ length: 0x80 }, (_, index) => start + index))
    .map((code) => String.fromCodePoint(code))
    .filter(
      (sign) => /\p{L}/u.test(sign) && /[\p{sc=Thai}\p{sc=Lao}\p{sc=Mymr}\p{sc=Khmr}]/u.test(sign),
    );
}

/** Signs below U+10000 that count as words: emoji. */
function pictures(): string[] {
  return Array.from({ length: 0x3300 - 0x2000 }, (_, index) => String.fromCodePoint(0x2000 + index))
    .filter((sign) => /\p{Extended_Pictographic}/u.test(sign))
    .concat('©', '®');
}

/**
 * Signs that are removed: accents that no letter is composed with, Hebrew points, invisible characters, variation
 * selectors and skin tones.
 */
function strippedSigns(): string[] {
  const ranges = [
    [0x0300, 0x036f],
    [0x0591, 0x05bd],
    [0x05bf],
    [0x05c1, 0x05c2],
    [0x05c4, 0x05c5],
    [0x05c7],
    [0x00ad],
    [0x200b, 0x200c],
    [0x200e, 0x200f],
    [0x202a, 0x202e],
    [0x2060, 0x2069],
    [0xfe0e, 0xfe0f],
    [0xfeff],
    [0x1f3fb, 0x1f3ff],
  ] as const;
  return ranges.flatMap(([from, to = from]) =>
    Array.from({ length: to - from + 1 }, (_, index) => String.fromCodePoint(from + index)),
  );
}

// Each pattern begins with its sign, and looks back from there. So nearly every place of a text is passed over by a
// single comparison. (With the look-behind in front, these patterns took half of the time of indexing.)
const charFilters: Record<string, estypes.AnalysisCharFilter> = {
  clean: {
    type: 'mapping',
    mappings: [
      'ё=>е',
      'Ё=>Е',
      // The sign of a millionth has two codes; both look like the Greek letter.
      '\\u00b5=>\\u03bc',
      // Persian keyboards give these letters of Arabic other codes.
      '\\u06a9=>\\u0643',
      '\\u06cc=>\\u064a',
      ...APOSTROPHES.map((sign) => `${sign}=>'`),
      ...strippedSigns().map((sign) => `${sign}=>`),
    ],
  },
  // It's and its, won't and wont, DON'T and dont become one word. l'avion and o'clock keep their apostrophe.
  contractions: replace(`'(?<=\\p{L}')(?=(?i:s|t|m|d|re|ve|ll)(?![\\p{L}\\p{N}]))`, ''),
  // The plus signs of C++, notepad++ and C++20, but not that of Ctrl+C.
  plus_plus: replace(`\\+\\+(?<=${WORD}\\+\\+)(?![\\p{L}+])`, SIGN_LETTERS['+'].repeat(2)),
  // The # of C#, F# and C#12, but not that of #general or issue#12.
  sharp: replace(`#(?<=(?<!${WORD})\\p{L}#)(?!\\p{L})`, SIGN_LETTERS['#']),
  // The dot of .NET, .env and ~/.bashrc, but not the end of a sentence or an ellipsis.
  leading_dot: replace(`\\.(?<![\\p{L}\\p{M}\\p{N}.]\\.)(?=\\p{L})`, SIGN_LETTERS['.']),
  // The dashes of --flag. A single dash is dropped as other signs are.
  flag: replace(`--(?<![\\p{L}\\p{M}\\p{N}-]--)(?=\\p{L})`, SIGN_LETTERS['-'].repeat(2)),
  // Splits a word before the v of a version: HeltecV4 becomes Heltec V4. This is no mapping, because a mapping would
  // have to take the digit as well. Then the v would get the offset of the digit, and a highlight would begin behind
  // the v.
  version: replace(`[vV](?<=\\p{L}[vV])(?=\\d)`, ' $0'),
  // Splits words at signs that would join them: node.js, foo_bar, std::string and v20.19.1 become words side by side.
  // So a query for the whole finds them as a phrase, and a query for a part finds that word. The version in C++20
  // becomes a word of its own. Offsets stay right where a mapping adds its sign before the last of the characters that
  // it replaces. All of these are one mapping, because each mapping reads the text again.
  breaks: {
    type: 'mapping',
    mappings: [
      ...['.', '_', ':', ',', ';', '·', '․', '﹒', '．', '：', '，', '＿'].map(
        (sign) => `${sign}=>\\u0020`,
      ),
      ...[SIGN_LETTERS['+'], SIGN_LETTERS['#']].flatMap((sign) =>
        Array.from('0123456789', (digit) => `${sign}${digit}=>${sign}\\u0020${digit}`),
      ),
      ...spacelessLetters().map((letter) => `${letter}=>\\u0020${letter}`),
    ],
  },
  spaces: replace('\\s+', ' '),
};

const signs = Object.values(SIGN_LETTERS).join('');

const tokenFilters: Record<string, estypes.AnalysisTokenFilter> = {
  // Lower case for Greek, which folds final sigma and accents. Every other script follows Unicode's rules.
  lower: { type: 'lowercase', language: 'greek' },
  // Keys, digests and encoded files are longer than any name or commit hash. Nobody searches for a part of them, and
  // split they would be thousands of words.
  long: { type: 'keyword_marker', keywords_pattern: LONG_WORD },
  // Splits words where letters and digits meet: t1000e, T1000-E and t 1000 e become the same three words.
  runs: {
    type: 'word_delimiter_graph',
    // Long words are not split.
    ignore_keywords: true,
    split_on_numerics: true,
    split_on_case_change: false,
    stem_english_possessive: false,
    // Without this, these would be dropped as signs at the end of a word.
    type_table: ["' => ALPHA", ...pictures().map((sign) => `${sign} => ALPHA`)],
  },
  // Adds parts of a word at the word's own position, so that phrases still work: c for c++, avion for l'avion, and for
  // each pair of Chinese, Japanese or Korean characters either character.
  parts: {
    type: 'pattern_capture',
    preserve_original: true,
    // Possessive and guarded, so that one pass over an ordinary word shows that it does not match.
    patterns: [
      `^(?:[${signs}]+([^${signs}]++)[${signs}]*|([^${signs}]++)[${signs}]+|(?![\\x00-\\x7f])(${CJK})(${CJK}))$`,
      "^([^']++)'([^']++)$",
    ],
  },
  stem: { type: 'stemmer', language: 'english' },
  // The Russian stemmer does not change words of other scripts.
  stem_cyrillic: { type: 'stemmer', language: 'russian' },
  once: { type: 'remove_duplicates' },
  mark: { type: 'pattern_replace', pattern: '^', replacement: STEM_MARK },
  mark_stems: {
    type: 'condition',
    filter: ['mark'],
    script: { source: '!token.isKeyword()' },
  },
};

const folding = ['lower', 'decimal_digit', 'arabic_normalization', 'asciifolding'];
/** Emits each word twice: as written, which no stemmer changes, and to be stemmed. */
const TWICE = 'keyword_repeat';
const stemming = ['stem', 'stem_cyrillic'];

function analyzer(...filter: string[]): estypes.AnalysisAnalyzer {
  return {
    type: 'custom',
    tokenizer: 'standard',
    char_filter: [
      'clean',
      'contractions',
      'plus_plus',
      'sharp',
      'leading_dot',
      'flag',
      'version',
      'breaks',
    ],
    filter: ['long', 'runs', 'cjk_width', 'cjk_bigram', ...folding, ...filter],
  };
}

/**
 * The words of a text are indexed as written (ignoring case and accents), together with their parts. Where the stem of
 * a word differs from it, the stem is indexed, too, with STEM_MARK in front. So one field answers two kinds of queries:
 * `as_written` looks for the word itself; `inflected` looks for its stem, both as a word and as a marked stem.
 */
const analysis: estypes.IndicesIndexSettingsAnalysis = {
  char_filter: charFilters,
  filter: tokenFilters,
  analyzer: {
    text: analyzer('parts', TWICE, ...stemming, 'once', 'mark_stems'),
    as_written: analyzer(),
    inflected: analyzer(...stemming, TWICE, 'mark_stems'),
  },
  normalizer: {
    whole: {
      type: 'custom',
      char_filter: ['clean', 'spaces'],
      filter: ['cjk_width', ...folding, 'trim'],
    },
  },
};

/** A text field. Phrases do not reach across two entries of it, such as two messages. */
function text(more: Partial<estypes.MappingTextProperty> = {}): estypes.MappingTextProperty {
  return {
    type: 'text',
    analyzer: 'text',
    search_analyzer: 'as_written',
    index_options: 'positions',
    position_increment_gap: 1000,
    ...more,
  };
}

/** A field that is kept to be shown, and cannot be searched. */
const shown = {
  type: 'keyword',
  index: false,
  doc_values: false,
} as const satisfies estypes.MappingProperty;
const filtered: estypes.MappingProperty = { type: 'keyword' };

/**
 * Fields that were added after indexes had been made by mapping 3. They are stored, and not searched. So an index
 * needs no rebuild for them: the indexer adds them to every index when it starts.
 */
export const KEPT_SINCE_THIRD: Record<string, typeof shown> = { markdown: shown };

const properties: Record<string, estypes.MappingProperty> = {
  kind: filtered,
  idKey: { type: 'keyword', index: false },
  threadId: filtered,
  messageId: shown,
  serverId: filtered,
  channelId: filtered,
  channelName: shown,
  title: text(),
  // A thread's title once more. Only threads have this field, so a search in titles does not read those of messages,
  // which are many times as many.
  heading: text({
    fields: { whole: { type: 'keyword', normalizer: 'whole', ignore_above: LONGEST_WHOLE } },
  }),
  slug: shown,
  preview: shown,
  status: filtered,
  tags: text(),
  tagKeys: filtered,
  authorId: filtered,
  authorUsername: shown,
  authorDisplayName: shown,
  createdAt: { type: 'date', format: 'strict_date_time' },
  hasAttachment: { type: 'boolean' },
  messageCount: { type: 'integer' },
  // A conversation in stretches. Words in the same stretch count as near each other.
  stretches: { type: 'nested', dynamic: 'strict', properties: { text: text() } },
  conversationHash: shown,
  // With offsets, the highlighter need not analyse the text again.
  content: text({ index_options: 'offsets' }),
  ...KEPT_SINCE_THIRD,
};

/**
 * Settings and mappings of a new search index. It has one shard, so that scores are the same from call to call. No
 * refresh_interval is set. So Elasticsearch refreshes every second while somebody searches, and stops after 5 s without
 * a search. This saves an import that nobody watches one refresh a second. The next search refreshes before it answers.
 */
export const searchIndexDefinition = {
  settings: {
    number_of_shards: 1,
    auto_expand_replicas: '0-1',
    search: { idle: { after: '5s' } },
    analysis,
  },
  mappings: {
    dynamic: 'strict',
    _meta: { mappingVersion: MAPPING_VERSION },
    _source: { excludes: ['stretches'] },
    properties,
  },
} satisfies Omit<estypes.IndicesCreateRequest, 'index'>;
