import { expect } from 'chai';
import { applyErasures } from '../../../../shared/store/applyErasures.js';
import { eraseFields } from '../../../../shared/store/eraseThread.js';
import { eraseNames } from '../../../../shared/store/eraseText.js';
import { TITLE_CHANGE } from '../../../../shared/exportFormat/messageTypes.js';
import { erasedBy, keyedHash } from '../../../../shared/store/erasures.js';
import type { SourceMessage } from '../../../../shared/store/records.js';
import { escapeMarkdown } from '../../../../services/indexer/content/escapeMarkdown.js';
import { aMessage, anAuthor, anEmbed, anId } from '../../../support/factories.js';
import { processorTime } from '../../../support/processorTime.js';

const GONE = anAuthor('zelda', { id: '123456789012345678', displayName: 'Princess Zelda' });
const STAYS = anAuthor('grace', { id: '223456789012345678' });
const hashOf = (text: string) => keyedHash('salt', text);
const erased = erasedBy({ salt: 'salt', version: 1 }, [
  {
    _id: hashOf(GONE.id),
    nameHashes: [
      GONE.username,
      GONE.displayName,
      'Zelda @ Work',
      'deleted',
      'deleted-user2',
      'z',
      '👩',
      '_zel_',
      '¯\\_(z)_/¯',
    ].map((name) => hashOf(`name/${name}`)),
  },
]);
const mention = ({ id, username, displayName, isBot }: typeof GONE) => ({
  id,
  username,
  displayName,
  isBot,
});

/**
 * A value of each field that names them; null where a field names nobody but the message's author. The compiler asks for
 * a new field.
 */
const NAMING: { [Field in keyof SourceMessage]-?: SourceMessage[Field] | null } = {
  _id: null,
  threadId: null,
  type: null,
  counted: null,
  author: null,
  webhook: null,
  content: `Ask <@${GONE.id}>`,
  createdAt: null,
  editedAt: null,
  pinned: null,
  attachments: [
    {
      id: '1',
      filename: `${GONE.id}.png`,
      url: `https://example.org/${GONE.id}.png`,
      contentType: null,
      size: 1,
      width: null,
      height: null,
      description: `<@${GONE.id}>`,
    },
  ],
  embeds: [anEmbed({ description: `<@${GONE.id}>` })],
  stickers: [
    {
      id: '1',
      name: `@${GONE.displayName} <@${GONE.id}>`,
      format: 'Png',
      url: `https://example.org/${GONE.id}.png`,
    },
  ],
  reactions: [
    { emoji: { id: null, name: '👍', animated: false }, count: 2, userIds: [GONE.id, STAYS.id] },
  ],
  mentions: [mention(GONE)],
  reference: null,
  forwarded: {
    content: `<@${GONE.id}>`,
    createdAt: null,
    editedAt: null,
    attachments: [],
    embeds: [anEmbed({ title: `<@${GONE.id}>` })],
    stickers: [],
  },
  interaction: { id: '5', name: 'ask', userId: GONE.id, username: GONE.username },
  mentionedRoles: null,
  asOf: null,
  partsAsOf: null,
};

describe('applyErasures', () => {
  for (const [field, value] of Object.entries(NAMING)) {
    if (value === null) continue;
    it(`takes them out of ${field}`, () => {
      const message = aMessage({ author: STAYS, [field]: value });
      expect(JSON.stringify(message)).to.include(GONE.id);
      const clean = JSON.stringify(applyErasures(message, erased));
      expect(clean).to.include(STAYS.id).and.not.include(GONE.id);
    });
  }

  it('returns the same object for a message without a trace', () => {
    const message = aMessage({ author: STAYS, content: 'Hello <@223456789012345678>, 12345' });
    expect(applyErasures(message, erased)).to.equal(message);
  });

  for (const [field, value] of Object.entries(NAMING)) {
    if (value === null) continue;
    it(`returns the same object where ${field} names somebody else`, () => {
      const others = JSON.parse(
        JSON.stringify(value).replaceAll(GONE.id, STAYS.id).replaceAll('Zelda', 'Hopper'),
      ) as typeof value;
      const message = aMessage({ author: STAYS, [field]: others });
      expect(applyErasures(message, erased)).to.equal(message);
    });
  }

  it('removes the words of a message that they wrote', () => {
    const message = aMessage({ author: GONE, content: 'My words', pinned: true });
    const clean = applyErasures(message, erased);
    expect(clean).to.deep.include({ _id: message._id, content: '', deleted: true });
    expect(JSON.stringify(clean)).to.not.match(/123456789012345678|zelda|words/i);
  });

  it('keeps the name of another mentioned person that begins with theirs', () => {
    const other = {
      id: '323456789012345678',
      username: 'Zeldas',
      displayName: 'zelda fan',
      isBot: false,
    };
    const same = { id: '423456789012345678', username: 'ZELDA', displayName: 'Link', isBot: false };
    const message = aMessage({
      author: STAYS,
      content: 'cc@Zelda Fan, `@zeldas`, cc@zelda, @Zelda, @zeldafan',
      mentions: [mention(GONE), other, same],
    });
    expect(applyErasures(message, erased).content).to.equal(
      'cc@Zelda Fan, `@zeldas`, cc@deleted-user, @deleted-user, @deleted-userfan',
    );
  });

  for (const [name, content, expected] of [
    ['a mention', 'Ask <@123456789012345678>!', 'Ask @deleted-user!'],
    ['an old mention', '<@!123456789012345678>', '@deleted-user'],
    ['a flattened mention', 'Hi @Princess Zelda, hi @zelda', 'Hi @deleted-user, hi @deleted-user'],
    ['a name that a word follows without a space', '`@Princess Zeldaさん`', '`@deleted-userさん`'],
    [
      'a name glued to words',
      'cc@zelda: Zelda, @zeldas idea',
      'cc@deleted-user: Zelda, @deleted-users idea',
    ],
    ['a name in italics', '_@Princess Zelda_', '_@deleted-user_'],
    ['a bare id', 'id 123456789012345678.', 'id 0.'],
    ['an address', 'see https://discord.com/users/123456789012345678/x now', 'see [deleted] now'],
    [
      'the address of a link, which is still closed',
      '[a](https://discord.com/users/123456789012345678), (https://x.org/a_(b)/123456789012345678)!',
      '[a]([deleted]), ([deleted])!',
    ],
    ['a longer number', '1234567890123456789012', '1234567890123456789012'],
    ['somebody else', '<@223456789012345678>', '<@223456789012345678>'],
  ] as const) {
    it(`takes out ${name}`, () => {
      const message = aMessage({
        author: STAYS,
        content,
        mentions: [mention(GONE), mention(STAYS)],
      });
      const clean = applyErasures(message, erased);
      expect(clean.content).to.equal(expected);
      expect(clean.mentions).to.deep.equal([mention(STAYS)]);
    });
  }

  it('takes out the name under which they used the command that a message answers', () => {
    const interaction = { id: '5', name: 'roll', userId: GONE.id, username: 'princess_z' };
    const message = aMessage({ author: STAYS, content: '@princess_z rolls a 6', interaction });
    expect(applyErasures(message, erased).content).to.equal('@deleted-user rolls a 6');
  });

  it('leaves the mentions of everybody, although somebody was called so', () => {
    const called = (username: string) => {
      const theirs = erasedBy({ salt: 'salt', version: 1 }, [
        { _id: hashOf(GONE.id), nameHashes: [hashOf(`name/${username}`)] },
      ]);
      const content = '@everyone, @here, @he';
      const { id, isBot } = GONE;
      const mentions = [{ id, isBot, username, displayName: username }];
      const embeds = [anEmbed({ title: content })];
      const clean = applyErasures(aMessage({ author: STAYS, content, mentions, embeds }), theirs);
      return [clean.content, clean.embeds[0]?.title];
    };
    const all = '@everyone, @here, @he';
    expect(called('here')).to.deep.equal([all, all]);
    const others = '@everyone, @here, @deleted-user';
    expect(called('he')).to.deep.equal([others, others]);
  });

  it('takes out a name that is written with more spaces and marks than records keep', () => {
    const message = aMessage({
      author: STAYS,
      content:
        'cc@Princess  Zelda, @\u200fPrincess\u200e Zelda \u200f@\nZelda @Princess\nZelda @\ufeffPrincess Zelda',
      mentions: [{ ...mention(GONE), username: 'Princess Zelda' }],
    });
    expect(applyErasures(message, erased).content).to.equal(
      'cc@deleted-user, @deleted-user \u200f@\nZelda @Princess\nZelda @deleted-user',
    );
  });

  it('takes out a name that an earlier version recorded with two spaces in a row', () => {
    const message = aMessage({
      author: STAYS,
      content: 'Ask @Ann \u200e Lee',
      mentions: [{ ...mention(GONE), displayName: 'Ann  Lee' }],
    });
    expect(applyErasures(message, erased).content).to.equal('Ask @deleted-user');
  });

  it('takes out a name of one letter where no word goes on', () => {
    const mentions = ['z', '田'].map((name) => ({
      ...mention(GONE),
      username: name,
      displayName: name,
    }));
    const content = '@z, @zelda @Z_ @田 @田中';
    const message = aMessage({ author: STAYS, content, mentions });
    expect(applyErasures(message, erased).content).to.equal(
      '@deleted-user, @zelda @Z_ @deleted-user @田中',
    );
  });

  it('takes bounded time for the names of all whom a message mentions', () => {
    const mentioning = (count: number) => {
      const others = Array.from({ length: count }, (_, n) => ({
        ...mention(STAYS),
        id: anId(),
        displayName: `a${n}`,
      }));
      const content = '@a'.repeat(3_000);
      return aMessage({ author: STAYS, content, mentions: [mention(GONE), ...others] });
    };
    const [few, many] = [mentioning(1), mentioning(5_000)];
    const limit = 20 * processorTime(() => applyErasures(few, erased));
    expect(processorTime(() => applyErasures(many, erased), limit)).to.be.below(limit);
  });

  it('takes their name out of a notice about them, and not out of words that others wrote', () => {
    const about = { author: STAYS, content: 'Added Princess Zelda to the group.' };
    const of = (counted: boolean) =>
      applyErasures(aMessage({ ...about, counted, mentions: [mention(GONE)] }), erased).content;
    expect(of(false)).to.equal('Added deleted-user to the group.');
    expect(of(true)).to.equal(about.content);
  });

  it('removes any title in a notice, as it may name anybody', () => {
    const notice = { author: STAYS, counted: false, content: 'Question of Zelda' };
    const of = (type: number) => applyErasures(aMessage({ ...notice, type }), erased).content;
    expect(of(TITLE_CHANGE)).to.equal('');
    expect(of(6)).to.equal(notice.content);
  });

  it('removes their reactions with the counts of these, and their commands', () => {
    const emoji = (name: string) => ({ id: null, name, animated: false });
    const message = aMessage({
      author: STAYS,
      reactions: [
        { emoji: emoji('👍'), count: 3, userIds: [GONE.id, STAYS.id] },
        { emoji: emoji('🎉'), count: 1, userIds: [GONE.id] },
        { emoji: emoji('❤️'), count: 2, userIds: [] },
      ],
      interaction: { id: '1', name: 'ask', userId: GONE.id, username: 'zelda' },
    });
    const clean = applyErasures(message, erased);
    expect(clean.reactions).to.deep.equal([
      { emoji: emoji('👍'), count: 2, userIds: [STAYS.id] },
      { emoji: emoji('❤️'), count: 2, userIds: [] },
    ]);
    expect(clean.interaction).to.equal(null);
  });

  it('removes them from embeds, pictures and forwarded words', () => {
    const avatar = `https://cdn.discordapp.com/avatars/${GONE.id}/abc.png`;
    const embed = anEmbed({
      title: 'For @zelda',
      description: `By <@${GONE.id}>`,
      author: { name: 'Anything', url: null, iconUrl: avatar },
      footer: { text: 'Asked by Zelda', iconUrl: avatar },
      thumbnail: { url: avatar, width: null, height: null },
      images: [{ url: 'https://example.com/a.png', width: 1, height: 1 }],
      fields: [{ name: `<@${GONE.id}>`, value: 'Points', inline: false }],
    });
    const clean = applyErasures(
      aMessage({
        author: STAYS,
        embeds: [embed],
        mentions: [mention(GONE)],
        attachments: [
          {
            id: '1',
            filename: 'a.png',
            url: avatar,
            contentType: null,
            size: 1,
            width: null,
            height: null,
            description: 'A chart of @Zelda',
            spoiler: true,
          },
        ],
        forwarded: {
          content: `<@${GONE.id}> said`,
          createdAt: null,
          editedAt: null,
          attachments: [],
          embeds: [],
          stickers: [],
        },
      }),
      erased,
    );
    expect(clean.embeds[0]).to.deep.include({
      title: 'For @deleted-user',
      description: 'By @deleted-user',
      author: null,
      footer: null,
      thumbnail: null,
      images: embed.images,
    });
    expect(clean.forwarded?.content).to.equal('@deleted-user said');
    expect(clean.attachments[0]).to.include({
      description: 'A chart of @deleted-user',
      spoiler: true,
    });
    expect(JSON.stringify(clean)).to.not.match(/123456789012345678|zelda/i);
  });

  describe('in embeds and forwarded words, whose mentions are not known', () => {
    const of = (text: string) => {
      const words = { createdAt: null, editedAt: null, attachments: [], stickers: [] };
      const { forwarded, embeds } = applyErasures(
        aMessage({
          author: STAYS,
          embeds: [anEmbed({ description: text })],
          forwarded: { ...words, content: text, embeds: [anEmbed({ title: text })] },
        }),
        erased,
      );
      expect(embeds[0]?.description).to.equal(forwarded?.content);
      expect(forwarded?.embeds[0]?.title).to.equal(forwarded?.content);
      return forwarded?.content;
    };

    it('removes their name after an @', () => {
      expect(of('Ask @Princess Zelda, or cc@zelda')).to.equal(
        'Ask @deleted-user, or cc@deleted-user',
      );
      expect(of('@deleted, @deleted-user')).to.equal('@deleted-user, @deleted-user');
      expect(of('@deleted-user2, @deleted-users')).to.equal('@deleted-user, @deleted-users');
      expect(of('_@Princess Zelda_ @zeldaさん')).to.equal('_@deleted-user_ @deleted-userさん');
    });

    it('removes their name from the description of a forwarded file', () => {
      const file = {
        id: '1',
        filename: '@zelda.png',
        url: 'https://example.com/a.png',
        contentType: null,
        size: 1,
        width: null,
        height: null,
        description: 'A chart of @zelda',
      };
      const words = { content: '', createdAt: null, editedAt: null, embeds: [], stickers: [] };
      const message = aMessage({ author: STAYS, forwarded: { ...words, attachments: [file] } });
      expect(applyErasures(message, erased).forwarded?.attachments[0]).to.include({
        filename: '@deleted-user.png',
        description: 'A chart of @deleted-user',
      });
    });

    it('removes their name where it is written with marks and spaces that records leave out', () => {
      expect(of('Ask @\u200fPrincess  Zelda\u200e\tnow')).to.equal('Ask @deleted-user\tnow');
    });

    it('removes their name where its signs are escaped, as in polls', () => {
      const poll = escapeMarkdown('Is @_zel_ or @¯\\_(z)_/¯ @_zelda_?');
      expect(poll).to.include('@\\_zel\\_ or @¯\\\\');
      expect(of(`**${poll}**`)).to.equal('**Is @deleted-user or @deleted-user @\\_zelda\\_?**');
      expect(of('@_zel_ @¯\\_(z)_/¯ @zelda\\.')).to.equal(
        '@deleted-user @deleted-user @deleted-user\\.',
      );
      const mentions = [{ ...mention(GONE), displayName: '_zel_' }];
      const message = aMessage({ author: STAYS, content: `<@${GONE.id}>\n**${poll}**`, mentions });
      expect(applyErasures(message, erased).content).to.include('**Is @deleted-user or @¯');
    });

    it('removes a name that contains an @', () => {
      expect(of('Ask @Zelda @ Work, or @grace @zelda')).to.equal(
        'Ask @deleted-user, or @grace @deleted-user',
      );
    });

    it('keeps other names, and words that begin with their name', () => {
      const text = 'Princess Zelda @Princess @zeldas @zelda_2 @grace @\nzelda @ zelda';
      expect(of(text)).to.equal(text);
    });

    it('leaves a name to whose last character a mark or a part is added', () => {
      const text = '@zelda\u0301 @👩\u200d💻 @👩🏽';
      expect(of(text)).to.equal(text);
      expect(of('@👩 and @👩s')).to.equal('@deleted-user and @deleted-users');
    });

    it('takes out a name of one letter where no word goes on', () => {
      expect(of('@z, @zoe @z_ cc@z')).to.equal('@deleted-user, @zoe @z_ cc@deleted-user');
    });

    it('leaves the longer name of somebody else whom the message mentions', () => {
      const other = { ...mention(STAYS), displayName: 'Zelda Fan' };
      const message = aMessage({
        author: STAYS,
        embeds: [anEmbed({ title: '@zelda fan, @zelda' })],
        mentions: [other],
      });
      expect(applyErasures(message, erased).embeds[0]?.title).to.equal('@zelda fan, @deleted-user');
    });

    it('takes bounded time, and cuts off what it has not read', () => {
      const embeds = Array.from({ length: 60 }, () => anEmbed({ title: '@a'.repeat(10_000) }));
      const message = aMessage({
        author: STAYS,
        embeds: [...embeds, anEmbed({ title: '@zelda' })],
      });
      const few = aMessage({ author: STAYS, embeds: [anEmbed({ title: '@a'.repeat(3_000) })] });
      const limit = 80 * processorTime(() => applyErasures(few, erased));
      let clean = message;
      expect(processorTime(() => (clean = applyErasures(message, erased)), limit)).to.be.below(
        limit,
      );
      expect(clean.embeds[0]).to.deep.equal(message.embeds[0]);
      expect(clean.embeds.at(-1)?.title).to.equal('');
      expect(applyErasures(clean, erased)).to.equal(clean);
    });

    it('takes no longer for characters that names leave out', () => {
      const timeOf = (title: string, limit?: number) => {
        const message = aMessage({ author: STAYS, embeds: [anEmbed({ title })] });
        return processorTime(() => applyErasures(message, erased), limit);
      };
      const limit = 4 * timeOf('@a'.repeat(5_000));
      expect(timeOf('@\u200e'.repeat(5_000), limit)).to.be.below(limit);
    });

    for (const name of [GONE.displayName, 'zelda#1234', 'zelda#0']) {
      it(`takes out the line of an embed that is their name: ${name}`, () => {
        const author = { name, url: null, iconUrl: null };
        const message = aMessage({ author: STAYS, embeds: [anEmbed({ author })] });
        expect(applyErasures(message, erased).embeds[0]?.author).to.equal(null);
      });
    }
  });

  it('changes nothing when it runs again', () => {
    const message = aMessage({
      author: STAYS,
      content: `<@${GONE.id}>`,
      mentions: [mention(GONE)],
    });
    const once = applyErasures(message, erased);
    expect(applyErasures(once, erased)).to.equal(once);
  });
});

describe('the length of what is erased', () => {
  const clean = (more: Partial<SourceMessage>) =>
    applyErasures(aMessage({ mentions: [mention(GONE)], ...more }), erased);

  it('keeps a text within what an import takes, and leaves no name in it', () => {
    const longest = '@zelda '.repeat(10_000).slice(0, 65_536);
    const { content } = clean({ content: longest });
    expect(content).to.equal(longest.replaceAll('@zelda', '@0'));
    expect(clean({ content: '@zelda '.repeat(4_000) }).content).to.include('@deleted-user');
  });

  it('keeps the names of files, stickers and places within what an import takes', () => {
    const longest = '@zelda '.repeat(300).slice(0, 2_000);
    const shortest = longest.replaceAll('@zelda', '@0');
    const file = { id: '1', url: '', contentType: null, size: 1, width: null, height: null };
    const { attachments, stickers } = clean({
      attachments: [{ ...file, filename: longest, description: longest }],
      stickers: [{ id: '1', name: longest, format: 'Png', url: '' }],
    });
    expect(attachments[0]).to.include({ filename: shortest });
    expect(attachments[0]!.description).to.include('@deleted-user');
    expect(stickers[0]).to.include({ name: shortest });
    const place = { name: longest, topic: longest, availableTags: [{ name: longest }] };
    const { name, topic, availableTags } = eraseFields(place, erased);
    expect([name, availableTags[0]!.name]).to.deep.equal([shortest, shortest]);
    expect(topic).to.include('@deleted-user');
  });

  it('lets all texts of a message together become little longer', () => {
    const field = { name: '', value: '@zelda\n'.repeat(1_000), inline: false };
    const fields = Array.from({ length: 20 }, () => field);
    const { embeds } = clean({ embeds: [anEmbed({ fields })] });
    const values = embeds[0]!.fields.map(({ value }) => value);
    expect(values.join('')).to.not.include('zelda');
    // Each text has 7,000 characters before, and 14,000 or 3,000 afterwards.
    expect(values.slice(0, 9)).to.deep.equal(Array(9).fill('@deleted-user\n'.repeat(1_000)));
    expect(values.slice(9)).to.deep.equal(Array(11).fill('@0\n'.repeat(1_000)));
  });
});

describe('eraseNames', () => {
  it('keeps a title within what an import takes', () => {
    expect(eraseNames('\u{1f469}'.repeat(200), ['\u{1f469}'])).to.equal('0'.repeat(200));
    expect(eraseNames('\u{1f469}'.repeat(2), ['\u{1f469}'])).to.equal('deleted-user'.repeat(2));
  });

  it('removes names from a title where they stand as words', () => {
    expect(eraseNames('zelda, help! @Zelda zeldas', ['zelda'])).to.equal(
      'deleted-user, help! deleted-user zeldas',
    );
    expect(eraseNames('A (b) c', ['(b)'])).to.equal('A deleted-user c');
  });

  it('leaves a name to whose last character an accent is added: it is another one', () => {
    expect(eraseNames('Ask Jose\u0301 or Jose', ['Jose'])).to.equal(
      'Ask Jose\u0301 or deleted-user',
    );
  });

  it('changes nothing when it runs again, though a name is a part of what stands in its place', () => {
    const of = (title: string) => eraseNames(title, ['User', 'deleted']);
    expect(of('Ask User or @deleted')).to.equal('Ask deleted-user or deleted-user');
    expect(of(of('Ask User or @deleted'))).to.equal('Ask deleted-user or deleted-user');
  });

  it('takes not much longer for many names than reading them takes', () => {
    const names = Array.from({ length: 5_000 }, (_, n) => `Guest number ${n}`);
    const title = 'Guest number 7, Guest number seven and guests of every number ask for help';
    expect(eraseNames(title, names)).to.equal(title.replace('Guest number 7', 'deleted-user'));
    const read = () => new Set(names.map((name) => name.toLowerCase()));
    const limit = 30 * processorTime(read);
    expect(processorTime(() => eraseNames(title, names), limit)).to.be.below(limit);
  });

  it('takes bounded time for names of thousands of lengths, and cuts off what it has not read', () => {
    const names = Array.from({ length: 2_000 }, (_, n) => 'a'.repeat(n + 2));
    const title = `aa ${'- '.repeat(1_000)}`;
    const limit = 1_000;
    expect(processorTime(() => eraseNames(title, names), limit)).to.be.below(limit);
    const clean = eraseNames(title, names);
    expect(clean).to.match(/^deleted-user (- )*-? ?$/);
    expect(clean.length).to.be.below(title.length);
  });

  it('removes them from titles that are written without spaces', () => {
    const of = (title: string) => eraseNames(title, ['田中太郎', 'zelda']);
    expect(of('田中太郎さんへの質問')).to.equal('deleted-userさんへの質問');
    expect(of('昨日の@田中太郎さん')).to.equal('昨日のdeleted-userさん');
    expect(of('zeldaさんとto田中太郎')).to.equal('deleted-userさんとtodeleted-user');
    expect(of('zeldas, xzelda')).to.equal('zeldas, xzelda');
  });
});
