import type { Client, estypes } from '@elastic/elasticsearch';
import { expect } from 'chai';
import { Turns } from '../../../../services/api/turns.js';
import type { SearchParams, SearchResponse } from '../../../../shared/contract/search.js';
import { searchArchive } from '../../../support/searchArchive.js';
import { aThread, searchParams, searchSuite, UNLIMITED } from '../../../support/searchDocuments.js';

const FILLER = Array.from({ length: 12 }, (_, n) =>
  aThread({ title: `Tide table ${n}`, messages: [`The tide of day ${n} comes with the wind`] }),
);

const CORPUS = [
  aThread({
    title: 'Mooring at night',
    messages: ['A lantern on the jetty helps when you moor a sloop.', 'Use two ropes.'],
  }),
  aThread({ title: 'Radio', messages: ['The transponder T1000-E needs meshcore firmware.'] }),
  aThread({ title: 'Mesh', messages: ['Flash the mesh core image over bluetooth.'] }),
  aThread({
    title: 'One long thread',
    messages: Array.from({ length: 15 }, (_, n) => `Lantern jetty remark ${n}`),
    serverId: '7',
  }),
  aThread({
    title: 'Letters',
    messages: ['The wifi bridge sends an email to the harbour office.'],
  }),
  aThread({
    title: 'Clocks',
    messages: ['A timeout of the buoy socketio client.', 'Plug in the horn', 'I have a bolt'],
  }),
  aThread({ title: 'Certificates', messages: ['Certbot and letsencrypt have an async job'] }),
  aThread({ title: 'Picture', messages: ['A tableau of oilskins'] }),
  aThread({ title: 'Assets', messages: ['Sails as set at noon'] }),
  aThread({ title: 'Cables', messages: ['The X-Cable fits, a cable C fits better'] }),
  aThread({ title: 'Winch', messages: ['Set SurnGlowSpanDial in setup', 'See JQuarry'] }),
  aThread({
    title: 'Compass',
    messages: ['Use Tidal Compass Overlay 5.9.2, or the Zephyr K3', 'A glow on a dial'],
  }),
  aThread({
    title: 'Apple',
    messages: ['It runs as iDrum and Ashlarboard', 'Error 0xC0FE0017, then BAD0017E'],
  }),
  aThread({ title: '备份', messages: ['每天晚上用脚本备份整个数据库'] }),
  aThread({ title: 'Hull', messages: ['The N-34/70 sinks', 'Sextant 3.9 is out'] }),
  aThread({ title: 'Sextants', messages: ['Sextant 3.10 is out, and so is Sextant 22.04'] }),
  aThread({ title: 'Boards', messages: ['Part 8365 failed, and so did part 27', 'See os-hatch'] }),
  ...FILLER,
];

function titles({ related }: SearchResponse): string[] {
  return [
    ...related.threads.map(({ title }) => title),
    ...related.messages.map(({ threadTitle }) => threadTitle),
  ];
}

describe('search: related', () => {
  const fixture = searchSuite(...CORPUS.flat());

  const ask = (q: string, more: Partial<SearchParams> = {}) => fixture.search(q, more);
  const best = ({ related }: SearchResponse) =>
    [
      ...related.threads.map(({ title, score }) => ({ title, score })),
      ...related.messages.map(({ threadTitle: title, score }) => ({ title, score })),
    ].toSorted((one, other) => other.score - one.score)[0]?.title;

  it('answers a question by most of its telling words', async () => {
    const found = await ask('how do i moor my sloop at a jetty with a broken lantern?');
    expect(found).to.include({ total: 0, threadCount: 0, messageCount: 0 });
    expect(titles(found)[0]).to.equal('Mooring at night');
  });

  it('gives scores below 0.5, best first, marks the words, and one result of each thread', async () => {
    const { related } = await ask('which lantern for the jetty and sloop xylophone');
    const all = [...related.threads, ...related.messages];
    expect(all.length).to.be.at.least(2);
    for (const { score, highlights } of all) {
      expect(score).to.be.within(0.1, 0.5);
      expect(highlights.content).to.include('<mark>');
    }
    for (const kind of [related.threads, related.messages]) {
      const scores = kind.map(({ score }) => score);
      expect(scores).to.deep.equal([...scores].sort((a, b) => b - a));
    }
    const threads = [
      ...related.threads.map(({ id }) => id),
      ...related.messages.map(({ threadId }) => threadId),
    ];
    expect(new Set(threads).size).to.equal(threads.length);
  });

  it('joins and splits words, and forgives typos', async () => {
    expect(titles(await ask('mesh core transponder xylophone'))).to.include('Radio');
    expect(titles(await ask('meshcore bluetooth xylophone'))).to.include('Mesh');
    expect(titles(await ask('transpnder firmware xylophone'))).to.include('Radio');
    expect(titles(await ask('transpnder bluetoth timeot ofice'))).to.have.members([
      'Radio',
      'Mesh',
      'Clocks',
    ]);
    expect(titles(await ask('"mesh" core xylophone'))).to.deep.equal(['Mesh']);
    expect(titles(await ask('3001 3002 3003 transpnder'))).to.deep.equal(['Radio']);
  });

  it('finds an unknown compound by its parts, and written as one word', async () => {
    expect(best(await ask('lantern-sloop'))).to.equal('Mooring at night');
    expect(titles(await ask('title:transponder'))).to.deep.equal(['Radio']);
    expect(titles(await ask('wi-fi'))).to.deep.equal(['Letters']);
    expect(titles(await ask('e-mail'))).to.deep.equal(['Letters']);
    expect(titles(await ask('socket.io'))).to.deep.equal(['Clocks']);
    expect(titles(await ask('time-out'))).to.include('Clocks');
    expect(titles(await ask("l'transponder"))).to.deep.equal(['Radio']);
  });

  it('finds an unknown name by its parts', async () => {
    expect(titles(await ask('T1000-X'))).to.deep.equal(['Radio']);
    expect(titles(await ask('transponder~2'))).to.deep.equal(['Radio']);
    expect(titles(await ask('"T1000-X"'))).to.deep.equal([]);
    expect(titles(await ask('"transpnder"'))).to.deep.equal([]);
    expect(titles(await ask('zqa1-zqb2-t1000'))).to.deep.equal(['Radio']);
    expect(titles(await ask('zqa1-zqb2-zqc3-t1000'))).to.deep.equal([]);
  });

  it('joins a word and a particle, and splits them', async () => {
    expect(titles(await ask('my xylophone has to time out'))).to.include('Clocks');
    expect(titles(await ask('lets encrypt'))).to.deep.equal(['Certificates']);
    expect(titles(await ask('a sync'))).to.deep.equal([]);
    expect(titles(await ask('plugin'))).to.deep.equal(['Clocks']);
    expect(titles(await ask('wifibridge'))).to.deep.equal(['Letters']);
    expect(titles(await ask('asset'))).to.deep.equal([]);
    expect(titles(await ask('abolt'))).to.deep.equal([]);
    // A function word of another language tells something in English.
    expect(titles(await ask('oshatch'))).to.deep.equal(['Boards']);
  });

  it('joins three to five words to a name', async () => {
    const name = 'surn glow span dial';
    expect(best(await ask(`${name} xylophone`))).to.equal('Winch');
    expect(titles(await ask('surn glow xylophone span dial'))).to.not.include('Winch');
    expect(titles(await ask('surn glow "span dial"'))).to.not.include('Winch');
    const long = [name, ...Array.from({ length: 8 }, (_, n) => `zq${'x'.repeat(n)}v`)];
    expect(titles(await ask(long.join(' ')))).to.include('Winch');
    expect(titles(await ask([...long, 'xylophone'].join(' ')))).to.not.include('Winch');
  });

  it('takes a query as one word, with a typo or as a beginning, where nothing was found', async () => {
    // The name has a letter more.
    expect(best(await ask('urn glow span dial'))).to.equal('Winch');
    expect(best(await ask('surn glow'))).to.equal('Winch');
    expect(titles(await ask('urn span xylophone'))).to.deep.equal([]);
    expect(titles(await ask('urn span xylo dial'))).to.deep.equal(['Compass']);
    // Seven letters are like too many words.
    expect(titles(await ask('ashl arb'))).to.deep.equal([]);
    expect(titles(await ask('ashl arbo'))).to.deep.equal(['Apple']);
  });

  it('joins a j, which is no word', async () => {
    expect(titles(await ask('j quarry'))).to.deep.equal(['Winch']);
    expect(titles(await ask('i drum'))).to.deep.equal([]);
  });

  it('splits a name at its capitals, and a version that lost its dots', async () => {
    expect(titles(await ask('TidalCompassOverlay'))).to.deep.equal(['Compass']);
    expect(titles(await ask('tidalcompassoverlay'))).to.deep.equal([]);
    expect(titles(await ask('overlay592'))).to.deep.equal(['Compass']);
    expect(titles(await ask('zephyrk3'))).to.deep.equal(['Compass']);
    // Another version, by the name alone.
    expect(titles(await ask('zephyr77'))).to.deep.equal(['Compass']);
    expect(titles(await ask('xylophone77'))).to.deep.equal([]);
    // The number alone. Two digits are in too many names.
    expect(titles(await ask('e8365'))).to.deep.equal(['Boards']);
    expect(titles(await ask('xylophone8365'))).to.deep.equal(['Boards']);
    expect(titles(await ask('e27'))).to.deep.equal([]);
    expect(titles(await ask('e8366'))).to.deep.equal([]);
    expect(titles(await ask('e8365b'))).to.deep.equal([]);
  });

  it('parts digits that lost the sign between two numbers', async () => {
    expect(titles(await ask('n3470'))).to.deep.equal(['Hull']);
    expect(best(await ask('sextant310'))).to.equal('Sextants');
    expect(best(await ask('sextant2204'))).to.equal('Sextants');
    expect(best(await ask('sextant39'))).to.equal('Hull');
    expect(titles(await ask('n3471'))).to.deep.equal([]);
  });

  it('finds a code with and without its 0x', async () => {
    expect(titles(await ask('c0fe0017'))).to.deep.equal(['Apple']);
    expect(titles(await ask('0xbad0017e'))).to.deep.equal(['Apple']);
    expect(titles(await ask('"c0fe0017"'))).to.deep.equal([]);
    expect(titles(await ask('c0fe0018'))).to.deep.equal([]);
  });

  it('finds other spellings of a word with signs around it', async () => {
    for (const sign of ['?', ')', '!', '.', '"', '`', '？']) {
      const spelled = ['plugin', 'get SurnGlow Span Dial', 'n3470', '0xbad0017e', 'e-mail'];
      const found = await Promise.all(spelled.map((q) => ask(q + sign)));
      const expected = ['Clocks', 'Winch', 'Hull', 'Apple', 'Letters'];
      expect(found.map(best), sign).to.deep.equal(expected);
    }
    expect(best(await ask('(transponderen)'))).to.equal('Radio');
  });

  it('parts a single letter from a word', async () => {
    expect(titles(await ask('xcable'))).to.deep.equal(['Cables']);
    expect(titles(await ask('cablec'))).to.deep.equal(['Cables']);
  });

  it('takes an unknown word for the beginning of a longer one', async () => {
    const { related } = await ask('transpo');
    expect(related.threads[0]).to.deep.include({ title: 'Radio' });
    expect(related.threads[0]!.highlights.content).to.include('<mark>transponder</mark>');
    expect(titles(await ask('como puedo usar el transpo xylophone'))).to.deep.equal(['Radio']);
    // A word of four letters begins too many others, and one that the archive holds means itself.
    expect(titles(await ask('tran'))).to.deep.equal([]);
    expect(titles(await ask('table xylophone')))
      .to.include('Tide table 3')
      .and.not.include('Picture');
    expect(titles(await ask('"transpo"'))).to.deep.equal([]);
  });

  it('finds an unknown word without its ending', async () => {
    // Typos are not forgiven in this language, and four letters are no word without its ending.
    expect(titles(await ask('como puedo usar transponderen'))).to.deep.equal(['Radio']);
    expect(titles(await ask('como puedo usar sloopen'))).to.deep.equal(['Mooring at night']);
    expect(titles(await ask('como puedo usar bolten'))).to.deep.equal([]);
  });

  it('takes no foreign word for a typo', async () => {
    expect(titles(await ask('como puedo usar el transpnder xylophone'))).to.deep.equal([]);
    const weak = await ask('transpnder como puedo usar el', { minScore: 0.1 });
    expect(titles(weak)).to.deep.equal([]);
    expect((await ask('como usar el transpnder')).suggestion).to.equal(null);
  });

  it('takes a word for a typo in a foreign language that the archive speaks', async () => {
    const spoken = Array.from({ length: 4 }, (_, n) =>
      aThread({ title: `Ancla ${n}`, messages: ['aunque puedo usar el barco'] }),
    );
    await fixture.store(spoken.flat());
    expect(titles(await ask('puedo usar el transpnder xylophone'))).to.deep.equal(['Radio']);
    // A single function word may be part of a name.
    expect(titles(await ask('los transpnder xylophone'))).to.deep.equal(['Radio']);
    // Most of these function words stand nowhere.
    expect(titles(await ask('puedo hacer algo con transpnder xylophone'))).to.deep.equal([]);
  });

  it('takes no telling word for a mistyped function word', async () => {
    expect(titles(await ask('Andi Wiht'))).to.deep.equal([]);
    // Without its ending, this would be `other`.
    await fixture.store(aThread({ title: 'Oars', messages: ['the other oar'] }));
    expect(titles(await ask('othersy'))).to.deep.equal([]);
  });

  it('answers a question of any length, and counts only words that the filters leave', async () => {
    const unknown = Array.from({ length: 20 }, (_, n) => `zq${String.fromCharCode(97 + n)}xv`);
    expect(titles(await ask([...unknown, 'sloop'].join(' ')))).to.deep.equal(['Mooring at night']);
    const talk = Array.from({ length: 30 }, (_, n) => `${'xz'.repeat(n % 3)}q${n}`);
    const question = ['when I moor the', ...talk, 'what would be best for my sloop?'].join(' ');
    expect(titles(await ask(question))).to.deep.equal(['Mooring at night']);
    const q = 'sloop ropes transponder lantern';
    expect(titles(await ask(q, { serverId: '7' }))).to.deep.equal(['One long thread']);
  });

  it('splits words in scripts without spaces', async () => {
    expect(titles(await ask('怎样备份数据库'))[0]).to.equal('备份');
    expect(titles(await ask('sloop/xylophone,jetty'))[0]).to.equal('Mooring at night');
    expect(titles(await ask('sloopเบรก'))[0]).to.equal('Mooring at night');
    expect(titles(await ask('sloop😂😂'))[0]).to.equal('Mooring at night');
  });

  it('looks for related matches where there are many results, but none is strong', async () => {
    const found = await ask('lantern remark thread');
    expect(found.total).to.be.above(10);
    expect(titles(found)).to.include('Mooring at night');
  });

  it('does so where weak matches are asked for, too', async () => {
    const found = await ask('lantern remark thread', { minScore: 0.1 });
    expect(found.results.threads[0]!.score).to.be.within(0.5, 0.7);
    expect(titles(found)).to.include('Mooring at night');
  });

  it('looks for none where there is a strong result, or where no term can be left out', async () => {
    for (const q of ['"two ropes"', 'tide wind', 'sloop', 'lantern on the jetty']) {
      const found = await ask(q);
      expect(found.total, q).to.be.above(0);
      expect(found.related, q).to.deep.equal({ threads: [], messages: [] });
    }
    const none = await ask('!!!');
    expect(none.related).to.deep.equal({ threads: [], messages: [] });
  });

  it('shows related matches that are no results, within filters, kind and limit, on the first page only', async () => {
    const q = 'remark lantern jetty sloop';
    const all = await ask(q);
    expect(titles(all)).to.include.members(['One long thread', 'Mooring at night']);
    expect(titles(await ask(q, { serverId: '7' }))).to.deep.equal(['One long thread']);
    expect(titles(await ask(q, { limit: 1 }))).to.have.length(1);
    expect((await ask(q, { type: 'threads' })).related.messages).to.deep.equal([]);
    expect((await ask(q, { type: 'messages' })).related.threads).to.deep.equal([]);
    expect(titles(await ask(q, { offset: 20 }))).to.deep.equal([]);
    const shown = await ask('sloop ropes');
    expect(shown.total).to.equal(1);
    expect(titles(shown)).to.not.include('Mooring at night');
  });

  it('shows no result of a further page', async () => {
    const serverId = '11';
    const far = 'and what was said in between, '.repeat(4);
    const both = Array.from({ length: 8 }, (_, n) =>
      aThread({ title: `Buoy ${n}`, messages: [`a kedge ${far} a grapnel`], serverId }),
    );
    const one = aThread({ title: 'One of them', messages: ['only a grapnel'], serverId });
    await fixture.store([...both.flat(), ...one]);
    const q = 'kedge grapnel';
    for (const more of [{}, { type: 'messages' }, { minScore: 0.6 }, { minScore: 0.1 }] as const) {
      const found = await ask(q, { ...more, serverId, limit: 5 });
      expect(found.total, JSON.stringify(more)).to.be.above(5);
      expect(titles(found), JSON.stringify(more)).to.deep.equal(['One of them']);
    }
  });

  it('shows at most 20, however large the page is', async () => {
    const many = Array.from({ length: 21 }, (_, n) => aThread({ title: `Ballast ${n}` }));
    await fixture.store(many.flat());
    expect(titles(await ask('ballast xylophone', { limit: 100 }))).to.have.length(20);
  });

  it('asks Elasticsearch no more often than necessary', async () => {
    const apart = 'The keel was painted while nobody at all looked after the old rudder';
    const others = ['keel', 'rudder'].flatMap((word) =>
      Array.from({ length: 4 }, (_, n) => aThread({ title: `Dock ${n}`, messages: [word] })),
    );
    await fixture.store([...aThread({ title: 'Yard', messages: [apart] }), ...others.flat()]);
    const requestsOf = async (q: string): Promise<number> => {
      let requests = 0;
      const count = (): void => void (requests += 1);
      fixture.elasticsearch.diagnostic.on('request', count);
      await ask(q);
      fixture.elasticsearch.diagnostic.off('request', count);
      return requests;
    };
    // For a strong result that is a message, only the page is asked for.
    expect(await requestsOf('"two ropes"')).to.equal(1);
    // For a thread found by its title, the page and its passage are asked for.
    expect(await requestsOf('radio')).to.equal(2);
    // The page, the counts of the words, and the related matches are asked for. Each thread has a message among the
    // matches.
    expect(await requestsOf('keel rudder')).to.equal(3);
    expect(titles(await ask('keel rudder'))).to.include('Dock 3');
  });
});

describe('search: related, by weight', () => {
  const fixture = searchSuite(...CORPUS.flat());

  const ask = (q: string, more: Partial<SearchParams> = {}) => fixture.search(q, more);

  it('shows threads by the message that holds most telling words', async () => {
    const chat = 'How do I get my own to go with the other, and how do I get it to be the same?';
    const said = ['Then it tore the spritsail.', chat, chat];
    await fixture.store(aThread({ title: 'Yarn', messages: said }));
    const q = 'how do i get my spritsail to go with the other xylophone';
    const { related } = await ask(q, { type: 'threads' });
    const shown = related.threads.find(({ title }) => title === 'Yarn');
    expect(shown?.highlights.content).to.include('<mark>spritsail</mark>');
  });

  it('looks for other spellings of a word that the archive hardly knows', async () => {
    await fixture.store(aThread({ title: 'Slip', messages: ['my scuppar'] }));
    await fixture.store(aThread({ title: 'Drains', messages: ['a scupper'] }));
    expect(titles(await ask('scuppar xylophone'))).to.have.members(['Slip', 'Drains']);
  });

  it('takes a word of three letters for another one with the same letters only', async () => {
    await fixture.store(aThread({ title: 'Hawser', messages: ['a raum and a fid'] }));
    expect(titles(await ask('ram xylophone'))).to.deep.equal([]);
    expect(titles(await ask('fdi xylophone'))).to.deep.equal(['Hawser']);
  });

  it('takes a word for one that differs by two typos only where none differs by one', async () => {
    await fixture.store(aThread({ title: 'Bilge', messages: ['it is connected'] }));
    await fixture.store(aThread({ title: 'Galley', messages: ['we connect'] }));
    await fixture.store(aThread({ title: 'Berth', messages: ['a contact'] }));
    expect(titles(await ask('conect xylophone'))).to.have.members(['Galley', 'Bilge']);
    expect(titles(await ask('contakkt xylophone'))).to.deep.equal(['Berth']);
  });

  it('finds a version that is written without its v', async () => {
    await fixture.store(aThread({ title: 'Hull', messages: ['on 7.14.1 now'] }));
    await fixture.store(aThread({ title: 'Deck', messages: ['on 7.14 now'] }));
    for (const q of ['v7.14.1', 'V7.14.1 xylophone']) {
      expect(titles(await ask(q)), q).to.deep.equal(['Hull']);
    }
  });

  it('looks for the twelve most telling words', async () => {
    const rare =
      'wombat bilby dugong echidna possum galah potoroo jabiru numbat emu kiwi dingo'.split(' ');
    const animals = ['quokka', 'quokka', ...rare];
    await fixture.store(animals.flatMap((title) => aThread({ title })));
    const found = await ask(`quokka ${rare.join(' ')}`);
    // The first two of the twelve have less than a fifth of their weight. So they are not enough by themselves.
    expect(titles(found)).to.have.members(rare.slice(2));
  });

  it('takes the lightest words for too little where something was found', async () => {
    const serverId = '9';
    const far = 'and other things that are said in between, '.repeat(3);
    const said = `sloop ${far} ropes ${far} tide`;
    await fixture.store([
      ...aThread({ title: 'All of them', messages: [said], serverId }),
      ...aThread({ title: 'Light', messages: ['the tide'], serverId }),
    ]);
    const found = await ask('sloop ropes tide', { serverId });
    expect(found.messageCount).to.equal(1);
    expect(found.results.messages[0]!.score).to.be.below(0.7);
    expect(titles(found)).to.deep.equal([]);
  });

  it('gives no weight to a word whose parts never stand side by side', async () => {
    // The archive holds `bolt`, `horn`, `sails` and `noon`.
    const found = titles(await ask('bolthorn sailsnoon sloop tide'));
    expect(found).to.include('Mooring at night').and.include('Tide table 3');
  });

  it('gives half the weight to a word that is known in other spellings only', async () => {
    const found = titles(await ask('transpnder oilskns tide'));
    expect(found).to.include.members(['Radio', 'Picture', 'Tide table 3']);
  });

  it('ranks a word in a title above one in a message, and a thread by its best stretch', async () => {
    const text = 'the bobstay is a chain or a rope';
    await fixture.store([
      ...aThread({ title: 'hello', messages: [text] }),
      ...aThread({ title: text, messages: ['hello'] }),
      ...aThread({
        title: 'Many',
        messages: Array<string>(20).fill(`${text} ${'or so '.repeat(99)}`),
      }),
    ]);
    const { threads } = (await ask('bobstay xylophone', { type: 'threads' })).related;
    expect(threads.map(({ title }) => title)).to.deep.equal([text, 'hello', 'Many']);
    expect(threads[0]!.score).to.be.above(threads[1]!.score);
  });
});

describe('search: related, while an archive is filled', () => {
  const fixture = searchSuite();

  it('finds what has come since the words were counted in an archive without documents', async () => {
    const { elasticsearch, namespace } = fixture;
    const termvectors = async (request: estypes.TermvectorsRequest) => {
      const counted = await elasticsearch.termvectors(request);
      await fixture.store(aThread({ title: 'Harbour', messages: ['Moor the tall ship'] }));
      return counted;
    };
    const filling = Object.assign(Object.create(elasticsearch) as Client, { termvectors });
    const deps = { elasticsearch: filling, namespace, turns: new Turns() };
    const found = await searchArchive(deps, searchParams('tallship'), UNLIMITED);
    expect(titles(found)).to.include('Harbour');
  });
});
