import type { SearchParams } from '../shared/contract/search.js';
import { randomOf } from '../test/support/generateRecords.js';

/** A question of a hostile reader: to search, with these parameters, or to the completion of titles. */
export interface Question {
  q: string;
  params: Partial<SearchParams> | 'suggest';
}

const random = randomOf(41);
const pick = <T>(values: readonly T[]): T => values[random.below(values.length)]!;

const ALPHABETS = {
  latin: Array.from('abcdefghijklmnopqrstuvwxyz'),
  han: Array.from(
    '字全文検索東京中搜怎样精确匹配一个词我们的服务器数据库备份恢复失败连接超时问题解决方法',
  ),
  hangul: Array.from('한국어검색은어렵습니다서버데이터베이스'),
  thai: Array.from('กขคงจฉชซญดตถทนบปผพฟมยรลวสหอ'),
} as const;
type Alphabet = keyof typeof ALPHABETS;
const COMMON =
  'the a to and is of in it for on with that this not but be are you we as have if so can';
const KNOWN =
  'server import message index search thread backup error export mongodb elasticsearch'.split(' ');

/** Ordinary questions. Each finds something in the sample archive. */
export const ORDINARY = [
  'elasticsearch',
  'replica set',
  'import files',
  'backup',
  'rate limit',
  'grafana dashboard',
  'search index',
  'error',
  'docker compose',
  'how to restore',
  'thread',
  'message deleted',
];

/** Makes `count` words of so many letters, which no archive holds. The text has at most 512 characters. */
export function wordsOf(count: number, letters: number, alphabet: Alphabet = 'latin'): string {
  const word = (): string =>
    Array.from({ length: letters }, () => pick(ALPHABETS[alphabet])).join('');
  return Array.from({ length: count }, word).join(' ').slice(0, 512);
}

/** A known word with one letter too many. */
function typo(): string {
  const word = pick(KNOWN);
  const at = 2 + random.below(word.length - 2);
  return word.slice(0, at) + pick(ALPHABETS.latin) + word.slice(at);
}

const weak = { minScore: 0 };

/** Questions of each kind that was found costly, and some ordinary ones. */
export const KINDS: Record<string, Question> = {
  'ordinary: one word': { q: 'elasticsearch', params: {} },
  'ordinary: two words that nothing holds': { q: wordsOf(2, 9), params: {} },
  'ordinary: a natural question, minScore 0.1': {
    q: 'how do i restore a backup of mongodb',
    params: { minScore: 0.1 },
  },
  'ordinary: one that finds nothing, minScore 0.1': {
    q: 'why does the import fail after upgrading elasticsearch on windows',
    params: { minScore: 0.1 },
  },
  '32 words of 15 letters': { q: wordsOf(32, 15), params: {} },
  '32 words of 15 letters, minScore 0': { q: wordsOf(32, 15), params: weak },
  '8 words of 60 letters': { q: wordsOf(8, 60), params: {} },
  '8 words of 60 letters, minScore 0': { q: wordsOf(8, 60), params: weak },
  '8 words of 19 letters, minScore 0': { q: wordsOf(8, 19), params: weak },
  '7 words of 20 letters, minScore 0': { q: wordsOf(7, 20), params: weak },
  '8 words of 12 letters, minScore 0': { q: wordsOf(8, 12), params: weak },
  '16 words of 9 letters, minScore 0': { q: wordsOf(16, 9), params: weak },
  'one word of 512 letters, minScore 0': { q: wordsOf(1, 512), params: weak },
  '8 words of 20 letters': { q: wordsOf(8, 20), params: {} },
  '16 phrases of 2 words': {
    q: `"${wordsOf(32, 12).replace(/(\S+ \S+) /g, '$1" "')}"`,
    params: {},
  },
  '512 Han characters': { q: wordsOf(1, 512, 'han'), params: {} },
  '512 Han characters, minScore 0': { q: wordsOf(1, 512, 'han'), params: weak },
  '160 Han characters, minScore 0': { q: wordsOf(1, 160, 'han'), params: weak },
  '16 words of 9 Han characters, minScore 0': { q: wordsOf(16, 9, 'han'), params: weak },
  '32 words of 15 Han characters': { q: wordsOf(32, 15, 'han'), params: {} },
  '512 Hangul syllables': { q: wordsOf(1, 512, 'hangul'), params: {} },
  '512 Thai letters': { q: wordsOf(1, 512, 'thai'), params: {} },
  '160 Thai letters, minScore 0': { q: wordsOf(1, 160, 'thai'), params: weak },
  '250 letters with dots between, minScore 0': {
    q: wordsOf(250, 1).replaceAll(' ', '.'),
    params: weak,
  },
  'one letter 250 times in a compound, and a word': { q: `${'a-'.repeat(250)} 3`, params: {} },
  'a common word 120 times in a phrase, and a word': {
    q: `"${'the '.repeat(120)}" server`,
    params: {},
  },
  'one letter, minScore 0, 100 results': { q: 's', params: { ...weak, limit: 100 } },
  '"the", minScore 0, 100 results': { q: 'the', params: { ...weak, limit: 100 } },
  '"the", minScore 0, from 9,900 on': { q: 'the', params: { ...weak, limit: 100, offset: 9_900 } },
  '24 common words': { q: COMMON, params: { limit: 100 } },
  '24 common words, minScore 0': { q: COMMON, params: { ...weak, limit: 100 } },
  '3 typos, minScore 0, 100 results': { q: 'servr mesage thred', params: { ...weak, limit: 100 } },
  'one typo, minScore 0, 100 results': { q: 'servr', params: { ...weak, limit: 100 } },
  '8 typos': { q: Array.from({ length: 8 }, typo).join(' '), params: {} },
  'completion of one letter': { q: 'a', params: 'suggest' },
  'completion of 512 Han characters': { q: wordsOf(1, 512, 'han'), params: 'suggest' },
};

/** A question that is put together from all of the above. The same number gives the same question. */
export function hostileQuestion(n: number): Question {
  const parts = Array.from({ length: 1 + random.below(4) }, somePart);
  const q = parts.join(' ').slice(0, 512);
  if (n % 10 === 9) return { q, params: 'suggest' };
  const minScore = pick([0, 0.1, 0.5]);
  const type = pick(['all', 'threads', 'messages'] as const);
  const limit = pick([1, 20, 100]);
  return { q, params: { minScore, type, limit, offset: pick([0, 0, 20, 9_900]) } };
}

function somePart(): string {
  const alphabet = pick(['latin', 'latin', 'latin', 'han', 'hangul', 'thai'] as const);
  const words = wordsOf(1 + random.below(9), 1 + random.below(24), alphabet);
  const ways: (() => string)[] = [
    () => words,
    () => `"${words}"`,
    () => words.replaceAll(' ', pick(['.', '-', '_'])),
    () => Array.from({ length: 1 + random.below(8) }, typo).join(' '),
    () => COMMON.split(' ').slice(random.below(20)).join(' '),
    () => pick(KNOWN).slice(0, 1 + random.below(4)),
  ];
  return pick(ways)();
}
