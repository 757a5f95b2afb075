import type { estypes } from '@elastic/elasticsearch';

/** Rises with every change of this file that asks for a rebuild of the search index; stored in the index's `_meta`. */
export const MAPPING_VERSION = 4;

/**
 * Letters that stand for signs which belong to a word (`C++`, `C#`, `.NET`, `--flag`). The standard tokenizer drops
 * signs, and takes these rare letters, which look alike, as a part of the word.
 */
export const SIGN_LETTERS = { '+': 'ᐩ', '#': 'ⵌ', '.': 'ᐧ', '-': 'ᐨ' } as const;

/** What people type for an apostrophe; one word whichever it is. A backtick is none: it begins and ends code. */
export const APOSTROPHES = ['’', '‘', 'ʼ', 'ʻ', '´', '＇'] as const;

/** Stands before a word's stem in the index, which holds it beside the word; the tokenizer makes no such token. */
export const STEM_MARK = '=';

/** A word that is not taken apart where letters and digits meet. */
export const LONG_WORD = '[0-9A-Za-z]{41,}';

const CJK = '[\\p{IsHan}\\p{IsHiragana}\\p{IsKatakana}\\p{IsHangul}ー]';

const WORD = '[\\p{L}\\p{M}\\p{N}]';

function replace(pattern: string, replacement: string): estypes.AnalysisCharFilter {
  return { type: 'pattern_replace', pattern, replacement };
}

/** Thai, Lao, Burmese and Khmer write no spaces: a token a letter with its marks, found as a phrase. */
function spacelessLetters(): string[] {
  const blocks = [0x0e00, 0x0e80, 0x1000, 0x1080, 0x1780];
  return blocks
    .flatMap((start) => Array.from({ length: 0x80 }, (_, index) => start + index))
    .map((code) => String.fromCodePoint(code))
    .filter(
      (sign) => /\p{L}/u.test(sign) && /[\p{sc=Thai}\p{sc=Lao}\p{sc=Mymr}\p{sc=Khmr}]/u.test(sign),
    );
}

/** Signs below U+10000 that are words: emoji. */
function pictures(): string[] {
  return Array.from({ length: 0x3300 - 0x2000 }, (_, index) => String.fromCodePoint(0x2000 + index))
    .filter((sign) => /\p{Extended_Pictographic}/u.test(sign))
    .concat('©', '®');
}

/** Accents that no letter is composed with, Hebrew points, invisible characters, variation selectors and skin tones. */
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

// A pattern begins with its sign and looks back from there: nearly every place of a text is passed over by one
// comparison. (With the look-behind first, these took half of the time of indexing.)
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
  // It's and its, won't and wont, DON'T and dont are one word; l'avion and o'clock keep their sign.
  contractions: replace(`'(?<=\\p{L}')(?=(?i:s|t|m|d|re|ve|ll)(?![\\p{L}\\p{N}]))`, ''),
  // C++, notepad++, C++20, but not Ctrl+C.
  plus_plus: replace(`\\+\\+(?<=${WORD}\\+\\+)(?![\\p{L}+])`, SIGN_LETTERS['+'].repeat(2)),
  // C#, F#, C#12, but not #general or issue#12.
  sharp: replace(`#(?<=(?<!${WORD})\\p{L}#)(?!\\p{L})`, SIGN_LETTERS['#']),
  // .NET, .env, ~/.bashrc, but not the end of a sentence or an ellipsis.
  leading_dot: replace(`\\.(?<![\\p{L}\\p{M}\\p{N}.]\\.)(?=\\p{L})`, SIGN_LETTERS['.']),
  // --flag; a single dash stays a sign like any other.
  flag: replace(`--(?<![\\p{L}\\p{M}\\p{N}-]--)(?=\\p{L})`, SIGN_LETTERS['-'].repeat(2)),
  // The v of a version begins a word: HeltecV4 is Heltec V4. A mapping would have to take the digit as well, and the v
  // would get the offset of the digit. Then a mark would begin behind the v.
  version: replace(`[vV](?<=\\p{L}[vV])(?=\\d)`, ' $0'),
  // What would glue words together: node.js, foo_bar, std::string, v20.19.1 become words side by side, which a query
  // for the whole finds as a phrase, and a query for a part as a word. A version is a word of its own: C++20. Offsets
  // stay right where a mapping adds its sign before the last of the characters that it replaces. All are in one mapping,
  // since each mapping reads the text again.
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
  // Greek lower case: final sigma and accents folded; every other script by Unicode's rules.
  lower: { type: 'lowercase', language: 'greek' },
  // Keys, digests and encoded files are longer than any name, and than a commit's hash. Nobody asks for a part of them,
  // and taken apart they would be thousands of words.
  long: { type: 'keyword_marker', keywords_pattern: LONG_WORD },
  // Letters and digits that meet are words side by side: t1000e, T1000-E and t 1000 e become the same three.
  runs: {
    type: 'word_delimiter_graph',
    // A long word stays whole.
    ignore_keywords: true,
    split_on_numerics: true,
    split_on_case_change: false,
    stem_english_possessive: false,
    // These would be taken for signs that end a word, and dropped.
    type_table: ["' => ALPHA", ...pictures().map((sign) => `${sign} => ALPHA`)],
  },
  // Parts at the word's own position, so that phrases still work: c++ also as c, l'avion as avion, and each
  // pair of Chinese, Japanese or Korean characters also as either one.
  parts: {
    type: 'pattern_capture',
    preserve_original: true,
    // Possessive and guarded, so that an ordinary word is told by one look through it.
    patterns: [
      `^(?:[${signs}]+([^${signs}]++)[${signs}]*|([^${signs}]++)[${signs}]+|(?![\\x00-\\x7f])(${CJK})(${CJK}))$`,
      "^([^']++)'([^']++)$",
    ],
  },
  stem: { type: 'stemmer', language: 'english' },
  // The Russian stemmer leaves words of other scripts as they are.
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
/** Gives each word twice: as written, which no stemmer touches, and to be stemmed. */
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
 * A text's words are indexed as written (letter case and accents folded) with their parts, and where its stem is
 * another word, that too, marked. So one field answers both questions: `as_written` asks for the word itself;
 * `inflected` asks for its stem, as a word and as a mark.
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

/** Phrases never cross two entries of a text, such as two messages. */
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

const shown: estypes.MappingProperty = { type: 'keyword', index: false, doc_values: false };
const filtered: estypes.MappingProperty = { type: 'keyword' };

/**
 * Fields that were added after indexes had been made by mapping 3. They are stored, and not searched. So an index
 * needs no rebuild for them: the indexer adds them to every index when it starts.
 */
export const KEPT_SINCE_THIRD: Record<string, estypes.MappingProperty> = { markdown: shown };

const properties: Record<string, estypes.MappingProperty> = {
  kind: filtered,
  idKey: { type: 'keyword', index: false },
  threadId: filtered,
  messageId: shown,
  serverId: filtered,
  channelId: filtered,
  channelName: shown,
  title: text(),
  // A thread's title once more, in threads alone: those of messages, many times as many, need not be read.
  heading: text({
    fields: { whole: { type: 'keyword', normalizer: 'whole', ignore_above: 512 } },
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
  // A conversation in stretches: words that stand in one of them stand near each other.
  stretches: { type: 'nested', dynamic: 'strict', properties: { text: text() } },
  conversationHash: shown,
  // Offsets spare the highlighter from analysing the text again.
  content: text({ index_options: 'offsets' }),
  ...KEPT_SINCE_THIRD,
};

/**
 * Settings and mappings of a new search index: one shard, so that scores are the same from call to call. No
 * refresh_interval is set: Elasticsearch then refreshes every second while somebody searches. After 5 s without a
 * search it stops, which spares an import that nobody watches a refresh a second. The next search refreshes before it
 * answers.
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
