import { expect } from 'chai';
import type { SearchResponse } from '../../../../shared/contract/search.js';
import type { MessageDocument, ThreadDocument } from '../../../../shared/store/searchIndex.js';
import { randomOf } from '../../../support/generateRecords.js';
import { holdsPhrase, mayHold, textsOf, wordsOf } from '../../../support/naiveSearch.js';
import { aThread, type SearchFixture, searchSuite } from '../../../support/searchDocuments.js';

const STEMS = [
  'anchor',
  'harbour',
  'sextant',
  'chart',
  'storm',
  'cargo',
  'captain',
  'lantern',
  'rope',
  'compass',
  'drift',
  'rust',
  'paint',
  'signal',
  'engine',
  'pump',
  'rudder',
  'sail',
  'wreck',
  'café',
  'naïve',
  'Überfahrt',
  'straße',
  'señal',
  'маяк',
  'якорь',
  'άγκυρα',
  'node',
  'v20',
  'build',
  'fail',
  'config',
  'server',
  'query',
  'index',
  'cursor',
  'token',
  'cache',
  'mirror',
] as const;
const ENDINGS = ['', '', '', 's', 'ed', 'ing'] as const;
const SIGNS = ['', '', '', '', ',', '.', '!', '?', ' -', ' (', ') '] as const;
const THREADS = 60;
/** How many queries are made. The variable BAND_QUESTIONS may set more. */
const QUERIES = Number(process.env['BAND_QUESTIONS'] ?? 30);

describe('search: properties of generated queries', () => {
  const random = randomOf(20);
  const word = (): string => random.pick(STEMS) + random.pick(ENDINGS);
  const sentence = (length: number): string =>
    Array.from({ length }, () => word() + random.pick(SIGNS)).join(' ');
  const archive = Array.from({ length: THREADS }, (_, n) =>
    aThread({
      title: `${sentence(2 + random.below(5))} ${n}`,
      messages: Array.from({ length: 1 + random.below(5) }, () => sentence(4 + random.below(25))),
      tags: random.some(() => random.pick(STEMS)),
    }),
  );
  const threads = archive.map(([thread]) => thread);
  const messages = archive.flatMap(([, ...said]) => said);
  const fixture = searchSuite(...archive.flat());

  const pickMessage = (least: number): { message: MessageDocument; words: string[] } => {
    for (;;) {
      const message = messages[random.below(messages.length)]!;
      const words = wordsOf(message.content);
      if (words.length >= least) return { message, words };
    }
  };
  const all = (q: string) => fixture.search(q, { limit: 100 });
  const scoreOf = ({ results }: SearchResponse, { messageId }: MessageDocument) =>
    results.messages.find(({ id }) => id === messageId)?.score;

  it('finds every thread first by its title as it stands', async () => {
    for (const thread of threads) {
      const { results } = await fixture.search(thread.title, { type: 'threads' });
      expect(results.threads[0]?.id, thread.title).to.equal(thread.threadId);
      expect(results.threads[0]?.score, thread.title).to.be.at.least(0.9);
    }
  });

  it('finds a message by any four words in a row, and not by them reversed', async () => {
    for (let n = 0; n < QUERIES; n += 1) {
      const { message, words } = pickMessage(4);
      const from = random.below(words.length - 3);
      const phrase = words.slice(from, from + 4);
      const quoted = await all(`"${phrase.join(' ')}"`);
      expect(scoreOf(quoted, message), phrase.join(' ')).to.be.at.least(0.7);
      const reversed = phrase.toReversed();
      const expected = messages.filter(({ content }) => holdsPhrase(content, reversed)).length;
      const found = await fixture.search(`"${reversed.join(' ')}"`, { type: 'messages' });
      expect(found.messageCount, reversed.join(' ')).to.equal(expected);
    }
  });

  it('finds a message by any two of its words', async () => {
    for (let n = 0; n < QUERIES; n += 1) {
      const { message, words } = pickMessage(2);
      const q = `${words[random.below(words.length)]!} ${words[random.below(words.length)]!}`;
      const found = await pages(fixture, q, message);
      expect(found, `${q} in ${message.content}`).to.equal(true);
    }
  });

  it('finds nothing that lacks a word', async () => {
    const documents = new Map<string, ThreadDocument | MessageDocument>(
      [...threads, ...messages].map((one) => [
        one.kind === 'thread' ? `t${one.threadId}` : `m${one.messageId}`,
        one,
      ]),
    );
    for (let n = 0; n < QUERIES; n += 1) {
      const words = Array.from({ length: 1 + random.below(3) }, word);
      const { results } = await all(words.join(' '));
      const found = [
        ...results.threads.map(({ id }) => documents.get(`t${id}`)!),
        ...results.messages.map(({ id }) => documents.get(`m${id}`)!),
      ];
      for (const document of found) {
        const text = textsOf(document).join('\n');
        for (const one of words.flatMap(wordsOf)) {
          expect(mayHold(text, one), `${one} in ${text}`).to.equal(true);
        }
      }
    }
  });

  it('finds everything that holds the words as written', async () => {
    for (let n = 0; n < QUERIES; n += 1) {
      const words = wordsOf(`${word()} ${word()}`);
      const holds = (text: string) => {
        const held = new Set(wordsOf(text));
        return words.every((one) => held.has(one));
      };
      const expected = threads.filter((thread) => holds(textsOf(thread).join('\n'))).length;
      const { threadCount } = await all(words.join(' '));
      expect(threadCount, words.join(' ')).to.be.at.least(expected);
    }
  });
});

/** Whether a message is among all results, page after page. */
async function pages(
  fixture: SearchFixture,
  q: string,
  { messageId }: MessageDocument,
): Promise<boolean> {
  for (let offset = 0, total = 1; offset < total; offset += 100) {
    const page = await fixture.search(q, { type: 'messages', limit: 100, offset });
    if (page.results.messages.some(({ id }) => id === messageId)) return true;
    total = page.total;
  }
  return false;
}
