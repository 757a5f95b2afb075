import { expect } from 'chai';
import type { SearchParams } from '../../../../shared/contract/search.js';
import { aThread, searchSuite } from '../../../support/searchDocuments.js';

const DIGEST = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const ENCODED = Buffer.from(DIGEST.repeat(8), 'hex').toString('base64');
const COMMIT = '0d1f3ab74c92e4b05d6a8f1e2c3b4a5968778695';

const CORPUS = [
  aThread({
    title: 'Harbour pilots ask for calmer tides',
    tags: ['Navigation'],
    messages: ['The lighthouse keeper polished seven brass lanterns.', 'Lanterns burn all night.'],
  }),
  aThread({
    title: 'Deploy the ferry timetable',
    messages: ['Ferries were running late near the harbour.', 'A café on the quai sells crêpes.'],
  }),
  aThread({
    title: 'Toolchain',
    messages: [
      'Modern C++20 beats old C code, said nobody using C#.',
      'Pass --dry-run to npm and read .env and node.js docs.',
      'It ended with ERR_MODULE_NOT_FOUND in v20.19.1 of foo_bar.',
      'See /usr/local/share/tides.conf and https://docs.example.org/guide?page=7#top',
      "Don't trust l’horizon, said the captain's parrot",
      'cooking with `std::vector` **boldly**, 50% off (really)!',
    ],
  }),
  aThread({
    title: 'Names',
    messages: [
      'My T1000-E sleeps.',
      'The t1000e wakes.',
      'A t-1000e waits.',
      'One t 1000 e walks.',
      'HeltecV4.3 blinks, it won’t boot.',
      'The heltec v4.3 wont stop, its LED says.',
      "CAN'T hear anything",
      'An SX1262 on 868MHz.',
      `Digest ${DIGEST.toUpperCase()} of the image`,
      `Image as text: ${ENCODED}`,
      `Commit ${COMMIT} broke it`,
      `Request 3f2a9c04-71de-4b60-9a1e-5c0d8e7f6a21 failed`,
    ],
  }),
  aThread({
    title: 'Short stems',
    messages: [
      'Mains fail, buy a UPS (two UPSes).',
      'Turned up again',
      'US preset',
      'I use presets',
      'Presets used by both',
      'ID unknown',
      'IDs unknown',
      'IDE unknown',
      "It's unknown",
      'Is it unknown?',
      'Ones or zeros',
      'OLEDs glow',
      'iOS app',
      'Example.io closed',
    ],
  }),
  aThread({
    title: 'Parts apart',
    messages: [
      'Seen: the T-Beam, to be sold',
      'Seen: the other T-Watch, better than before',
      'Fixed in v5.1 of 2019',
      'Version v10.5 of 2015',
    ],
  }),
  aThread({
    title: 'Many tongues',
    messages: [
      '全文検索エンジンの東京テスト 字',
      '한국어 검색은 어렵습니다',
      '中文搜索:怎样精确匹配 `word` 一个词',
      'ภาษาไทยไม่มีช่องว่าง',
      'Wie geht´s dem комп’ютер',
      'Съешь ещё этих мягких булок',
      'اللُّغَةُ العَرَبِيَّةُ',
      'שָׁלוֹם עולם',
      'Η Οδύσσεια του Ομήρου, ΚΑΛΗΜΈΡΑ',
      'shipped it 🚀 with 👍🏽 and ❤️',
      'Straße in São Paulo, Ångström, cafe\u0301 latte',
      'ＦＵＬＬＷＩＤＴＨ １２３ ｶﾞﾗｽ',
      'Gap of 10\u00b5m, then 20\u03bcm',
      '\u06a9تاب\u06cc',
    ],
  }),
];

/** A query, and how the content of each message that it finds begins. */
const FOUND: [q: string, beginnings: string[]][] = [
  ['lighthouse', ['The lighthouse']],
  ['LIGHTHOUSE Keeper', ['The lighthouse']],
  ['Lighthouse® ™ keeper', ['The lighthouse']],
  ['👍🚀', ['shipped']],
  ['shipped❤️', ['shipped']],
  ['keeper ferry', []],
  ['ferry run', ['Ferries']],
  ['"ferry run"', []],
  ['lantern', ['The lighthouse', 'Lanterns']],
  ['"seven brass lanterns"', ['The lighthouse']],
  ['"lanterns brass seven"', []],
  ['"brass lanterns" keeper', ['The lighthouse']],
  ['harbour lanterns', ['The lighthouse', 'Lanterns']],
  ['Lanterns. burn, ALL! night?', ['Lanterns']],
  ['cafe quai crepes', ['A café']],
  ['café QUAI crêpes', ['A café']],
  ['C++', ['Modern']],
  ['c++20', ['Modern']],
  ['C#', ['Modern']],
  ['code c', ['Modern']],
  ['C++ parrot', []],
  ['--dry-run', ['Pass']],
  ['dry run', ['Pass']],
  ['.env', ['Pass']],
  ['node.js', ['Pass']],
  ['node', ['Pass']],
  ['js', ['Pass']],
  ['ERR_MODULE_NOT_FOUND', ['It ended']],
  ['err_module', ['It ended']],
  ['"module not found"', ['It ended']],
  ['foo_bar', ['It ended']],
  ['bar', ['It ended']],
  ['v20.19.1', ['It ended']],
  ['20.19', ['It ended']],
  ['/usr/local/share/tides.conf', ['See']],
  ['local/share', ['See']],
  ['https://docs.example.org/guide?page=7#top', ['See']],
  ['docs.example.org', ['See']],
  ["don't", ["Don't"]],
  ['don’t', ["Don't"]],
  ['don‘t', ["Don't"]],
  ['DON´T', ["Don't"]],
  ['lʼhorizon', ["Don't"]],
  ...["geht's", 'geht´s', 'gehts', "комп'ютер", 'компʼютер'].map((q): [string, string[]] => [
    q,
    ['Wie geht'],
  ]),
  ['horizon', ["Don't"]],
  ['captain', ["Don't"]],
  ['captains parrot', ["Don't"]],
  ['std::vector', ['cooking']],
  ['boldly', ['cooking']],
  ['really', ['cooking']],
  ['ups', ['Mains']],
  ['UP', ['Turned']],
  ['us preset', ['US']],
  ['use preset', ['I use', 'Presets']],
  ['using presets?', ['I use', 'Presets']],
  ['id unknown', ['ID', 'IDs']],
  ['(ids) unknown', ['ID', 'IDs']],
  ['ide', ['IDE']],
  ["ID's unknown", ['ID', 'IDs']],
  ['it’s unknown', ["It's"]],
  ["'use' `preset`", ['I use', 'Presets']],
  ['one zero', ['Ones']],
  ['oled', ['OLEDs']],
  ['ios', ['iOS']],
  ['検索', ['全文']],
  ['東京', ['全文']],
  ['京東', []],
  ['字', ['全文']],
  ['索', ['全文', '中文']],
  ['"搜索:怎样精确匹配 word 一个"', ['中文']],
  ['"搜索怎样"', []],
  ['エンジン', ['全文']],
  ['검색', ['한국어']],
  ['ภาษา', ['ภาษาไทย']],
  ['ไทยภาษา', []],
  ['еще булок', ['Съешь']],
  ['ЕЩЁ', ['Съешь']],
  ['اللغة العربية', ['الل']],
  ['שלום', ['שָׁלוֹם']],
  ['οδυσσεια ομηρου', ['Η Οδ']],
  ['καλημερα', ['Η Οδ']],
  ['🚀', ['shipped']],
  ['👍', ['shipped']],
  ['👍🏽', ['shipped']],
  ['❤️', ['shipped']],
  ['❤', ['shipped']],
  ['strasse', ['Straße']],
  ['sao paulo', ['Straße']],
  ['angstrom', ['Straße']],
  ['café latte', ['Straße']],
  ['fullwidth 123', ['ＦＵＬＬ']],
  ['ガラス', ['ＦＵＬＬ']],
  ...['10\u00b5m 20\u00b5m', '10\u03bcm 20\u03bcm'].map((q): [string, string[]] => [q, ['Gap']]),
  ['\u0643تاب\u064a', ['\u06a9تاب']],
  ...['t1000e', 'T1000-E', 't-1000e', 't 1000 e', '"T1000-e"'].map((q): [string, string[]] => [
    q,
    ['My T1000', 'The t1000e', 'A t-1000e', 'One t'],
  ]),
  ...['HeltecV4.3', 'heltec v4.3', 'heltecv4.3', 'heltec v 4.3'].map((q): [string, string[]] => [
    q,
    ['HeltecV4.3', 'The heltec'],
  ]),
  ["won't", ['HeltecV4.3', 'The heltec']],
  ['wont', ['HeltecV4.3', 'The heltec']],
  ["WON'T", ['HeltecV4.3', 'The heltec']],
  ['WON’T BOOT', ['HeltecV4.3']],
  ["CAN'T", ["CAN'T hear"]],
  ["can't hear", ["CAN'T hear"]],
  ['868', ['An SX']],
  ['868 mhz', ['An SX']],
  ['sx 1262', ['An SX']],
  [DIGEST, ['Digest']],
  [`"the image" ${DIGEST}`, ['Digest']],
  [DIGEST.slice(0, 41), []],
  [ENCODED, ['Image as']],
  [COMMIT, ['Commit']],
  // The beginning ends where letters and digits meet.
  [COMMIT.slice(0, 4), ['Commit']],
  ['3f2a9c04-71de-4b60-9a1e-5c0d8e7f6a21', ['Request']],
  ['3F2A9C04', ['Request']],
  ['nothingofthekind', []],
  ['!!! … ---', []],
];

describe('search: matching', () => {
  const fixture = searchSuite(...CORPUS.flat());

  const messages = async (q: string, more: Partial<SearchParams> = {}) =>
    (await fixture.search(q, { type: 'messages', limit: 100, ...more })).results.messages;
  const titles = async (q: string) =>
    (await fixture.search(q, { type: 'threads' })).results.threads.map(({ title }) => title);

  for (const [q, beginnings] of FOUND) {
    it(`finds ${beginnings.length} messages for ${q}`, async () => {
      const contents = (await messages(q)).map(({ content }) => content);
      expect(contents.length, contents.join('\n')).to.equal(beginnings.length);
      for (const beginning of beginnings) {
        expect(contents.some((content) => content.startsWith(beginning))).to.equal(true);
      }
    });
  }

  it('marks a version with its v', async () => {
    for (const [q, mark] of [
      ['v20.19.1', 'v20.19.1'],
      ['20.19.1', '20.19.1'],
      ['v4.3', 'V4.3'],
      ['HeltecV4.3', 'HeltecV4.3'],
    ] as const) {
      const marked = (await messages(q)).map(({ highlights }) => highlights.content);
      expect(marked.join('\n'), q).to.include(`<mark>${mark}</mark>`);
    }
  });

  it('shows the passage with most of the words', async () => {
    const filler = 'nothing to see here '.repeat(60);
    const said = `a capstan. ${filler}. The capstan ${'turns and '.repeat(12)} the hawser. ${filler}`;
    await fixture.store(aThread({ title: 'Deck', messages: [said] }));
    const [found] = await messages('capstan hawser');
    expect(found!.highlights.content).to.match(/^The <mark>capstan<.*<mark>hawser</);
  });

  it('never begins a passage within an address', async () => {
    const address = 'https://example.org/watch?from=quay!5&to=';
    await fixture.store(aThread({ title: 'Deck', messages: [`see ${address}capstan there`] }));
    const [found] = await messages('capstan');
    const shown = `see ${address.replace('&', '&amp;')}<mark>capstan</mark> there`;
    expect(found!.highlights.content).to.equal(shown);
  });

  it('shows what follows a word in a long text without sentences', async () => {
    const filler = 'nothing to see here '.repeat(35);
    const said = `${filler}a windlass of the harbour ${filler}`;
    await fixture.store(aThread({ title: 'Deck', messages: [said] }));
    const [found] = await messages('windlass');
    expect(found!.highlights.content).to.include('<mark>windlass</mark> of the harbour nothing');
  });

  it('shows a thread by its best message among the results', async () => {
    const said = ['a bowline among many more words of no use', 'bowline', 'or a bowline elsewhere'];
    await fixture.store(aThread({ title: 'Knots', messages: said }));
    const { threads } = (await fixture.search('bowline')).results;
    expect(threads[0]!.highlights.content).to.equal('<mark>bowline</mark>');
  });

  it('marks no longer words from 0.5 on', async () => {
    await fixture.store(aThread({ title: 'Deck', messages: ['a binnacle in a binnaclehouse'] }));
    const [found] = await messages('binnacle', { limit: 20 });
    expect(found!.highlights.content).to.equal('a <mark>binnacle</mark> in a binnaclehouse');
  });

  it('shows each thread by a message of its own, however many messages another one has', async () => {
    await fixture.store([
      ...aThread({ title: 'Talk', messages: ['a fid', 'the fid', 'one fid'] }),
      ...aThread({ title: 'Tools', messages: [`a fid ${'or something else '.repeat(20)}`] }),
    ]);
    const { threads } = (await fixture.search('fid', { type: 'threads' })).results;
    expect(threads.map(({ title }) => title)).to.have.members(['Talk', 'Tools']);
    for (const { highlights } of threads) {
      expect(highlights.content).to.include('<mark>fid</mark>');
    }
  });

  it('finds a thread by terms spread over its title, tags and messages', async () => {
    expect(await titles('pilots navigation keeper burn')).to.deep.equal([CORPUS[0]![0].title]);
    expect(await titles('pilots ferries')).to.deep.equal([]);
  });

  it('finds a thread by words of neighbouring messages, and by distant words only below 0.5', async () => {
    const talk = (n: number) =>
      `Talk number ${n} about ropes, sails, tar and the weather. `.repeat(6);
    const [thread, ...said] = aThread({
      title: 'A long voyage',
      messages: [
        'The sextant broke.',
        'Was it the mirror?',
        ...[1, 2, 3, 4, 5].map(talk),
        'A barnacle.',
      ],
    });
    await fixture.store([thread, ...said]);
    const find = async (q: string, minScore: number) =>
      (await fixture.search(q, { type: 'threads', minScore })).results.threads.find(
        ({ id }) => id === thread.threadId,
      )?.score;
    expect(await find('sextant mirror', 0.5)).to.be.within(0.5, 0.56);
    expect(await find('voyage barnacle', 0.5)).to.be.within(0.5, 0.56);
    expect(await find('sextant barnacle', 0.5)).to.equal(undefined);
    expect(await find('sextant barnacle', 0.4)).to.be.within(0.4, 0.5);
    expect(await fixture.search('sextant barnacle', { minScore: 0.4 })).to.include({ total: 1 });
  });

  it('finds no phrase that crosses two messages', async () => {
    expect(await titles('"brass lanterns lanterns burn"')).to.deep.equal([]);
  });

  it('finds no message whose terms stand only in its thread’s title', async () => {
    expect(await messages('pilots calmer tides')).to.deep.equal([]);
    expect(await messages('pilots calmer burn')).to.have.length(1);
  });

  it('places a message below others that holds only function words of the query, and shows no thread by it', async () => {
    const title = 'How long can a kedge lie in the mud?';
    const said = ['Off topic: has anyone a spare lid? It is in the way.', 'My kedge is well'];
    const [thread, ...rest] = aThread({ title, messages: said });
    await fixture.store([thread, ...rest]);
    const { results } = await fixture.search(title);
    expect(results.messages.map(({ content }) => content)).to.deep.equal([said[1], said[0]]);
    const [answers, shares] = results.messages.map(({ score }) => score);
    expect(answers).to.be.within(0.62, 0.7);
    expect(shares).to.be.within(0.5, 0.56);
    expect(results.threads[0]!.highlights.content).to.include('<mark>kedge</mark>');
  });

  it('forgives a typo below 0.5 only', async () => {
    expect(await messages('lighthuose')).to.have.length(0);
    expect(await messages('lighthuose', { minScore: 0.3 })).to.have.length(0);
    const weak = await messages('lighthuose', { minScore: 0 });
    expect(weak).to.have.length(1);
    expect(weak[0]!.score).to.be.within(0.1, 0.3);
  });

  it('takes no number for another one', async () => {
    for (const q of ['869 mhz', 'sx1263', 't1001e']) {
      expect(await messages(q, { minScore: 0 }), q).to.have.length(0);
      const { messages: related } = (await fixture.search(q)).related;
      const marked = related.map(({ highlights }) => highlights.content).join();
      expect(marked, q).to.not.match(/<mark>[^<]*\d/);
    }
  });

  it('takes the last word for a beginning below 0.5 only', async () => {
    expect(await messages('keeper polis')).to.have.length(0);
    const weak = await messages('keeper polis', { minScore: 0.3 });
    expect(weak).to.have.length(1);
    expect(weak[0]!.score).to.be.within(0.3, 0.5);
  });

  it('takes a word of several parts as a beginning only where the parts stand side by side', async () => {
    const weak = (q: string) => messages(q, { minScore: 0.3, limit: 20 });
    const begun = await weak('seen the t-be');
    expect(begun.map(({ content }) => content)).to.deep.equal(['Seen: the T-Beam, to be sold']);
    expect(begun[0]!.score).to.be.within(0.3, 0.4);
    expect(begun[0]!.highlights.content).to.equal(
      '<mark>Seen</mark>: <mark>the</mark> <mark>T-Beam</mark>, to be sold',
    );
    const whole = await weak('v5.1');
    expect(whole.map(({ content }) => content)).to.deep.equal(['Fixed in v5.1 of 2019']);
    expect(whole[0]!.highlights.content).to.equal('Fixed in <mark>v5.1</mark> of 2019');
  });

  it('never matches a tombstone', async () => {
    const tombstone = { kind: 'tombstone', idKey: '0'.repeat(20), threadId: '77' } as const;
    await fixture.store([tombstone]);
    for (const q of ['77', 'tombstone', '0'.repeat(20)]) {
      expect((await fixture.search(q, { minScore: 0 })).total).to.equal(0);
    }
  });
});
