import { expect } from 'chai';
import type { LiveMessage } from '../../../../shared/discordApi/answerTypes.js';
import { checkMessage, readEntries } from '../../../../shared/discordApi/answers.js';
import { PART_BREAK } from '../../../../services/indexer/content/partBreak.js';
import { renderContent } from '../../../../services/indexer/content/renderContent.js';
import { liveMessage } from '../../../../services/indexer/sources/liveMessage.js';
import { aLiveMessage, aLiveUser } from '../../../support/liveAnswers.js';
import { anId } from '../../../support/factories.js';

const CONTEXT = {
  threadId: anId(),
  asOf: 7,
  roles: new Map([['200000000000000001', { name: 'Helpers' }]]),
};

const NO_NAMES = {
  guildId: '1',
  users: new Map(),
  roles: new Map(),
  targets: new Map(),
  nameRoom: 0,
};

/** Maps a message after the check that every answer has to pass. */
function mapped(more: Partial<LiveMessage> = {}) {
  return liveMessage(checkMessage(aLiveMessage(more)), CONTEXT);
}

describe('a message of the platform', () => {
  it('becomes a source that tells neither a nickname nor who reacted', () => {
    const emoji = { id: null, name: '❤' };
    const message = mapped({
      author: aLiveUser({ id: '200000000000000009', username: 'ada', global_name: 'Ada L' }),
      reactions: [{ count: 3, emoji }],
    });
    expect(message).to.include({
      threadId: CONTEXT.threadId,
      asOf: 7,
      content: 'Hello',
      counted: true,
    });
    expect(message?.partsAsOf).to.deep.equal({ displayName: 0, reactors: 0 });
    expect(message?.author).to.include({ username: 'ada', displayName: 'Ada L', isBot: false });
    expect(message?.reactions).to.deep.equal([
      { emoji: { id: null, name: '❤', animated: false }, count: 3, userIds: [] },
    ]);
  });

  it('is left out where it is not for everybody', () => {
    for (const more of [{ flags: 1 << 6 }, { flags: 1 << 7 }, { type: 24 }]) {
      expect(mapped(more), JSON.stringify(more)).to.equal(null);
    }
  });

  it('has its links without signatures: another signature is no change', () => {
    const file = (signature: string) => ({
      id: '200000000000000002',
      filename: 'a.png',
      url: `https://cdn.discordapp.com/attachments/1/2/a.png?ex=${signature}&is=${signature}&hm=${signature}&`,
      size: 5,
    });
    const embed = (signature: string) => ({ image: { url: file(signature).url } });
    const [one, other] = ['a1', 'b2'].map((signature) =>
      mapped({ attachments: [file(signature)], embeds: [embed(signature) as never] }),
    );
    expect(one?.attachments[0]).to.include({
      url: 'https://cdn.discordapp.com/attachments/1/2/a.png',
      contentType: 'image/png',
    });
    expect(one?.embeds).to.deep.equal(other?.embeds);
    expect(one?.attachments).to.deep.equal(other?.attachments);
  });

  it('tells what its files show, and which of them are spoilers', () => {
    const file = (more: object) => ({
      id: anId(),
      filename: 'a.png',
      url: 'https://cdn.discordapp.com/a.png',
      ...more,
    });
    const message = mapped({
      attachments: [
        file({ description: ' A chart\u0000 of rain ', flags: 1 << 3 }),
        file({ filename: 'SPOILER_b.png', flags: 0 }),
        file({ description: '' }),
      ],
    });
    const told = message?.attachments.map(({ description, spoiler }) => ({ description, spoiler }));
    expect(told).to.deep.equal([
      { description: 'A chart of rain', spoiler: true },
      { description: undefined, spoiler: true },
      { description: undefined, spoiler: undefined },
    ]);
  });

  it('says what its components say', () => {
    const text = (content: string) => ({ type: 10, content });
    const section = { type: 9, components: [text('two')], accessory: { type: 2 } };
    const container = { type: 17, components: [section, text('three')] };
    const message = mapped({ content: '', flags: 1 << 15, components: [text('one'), container] });
    expect(message?.content).to.equal(['one', 'two', 'three'].join(PART_BREAK));
  });

  describe('with media in its components', () => {
    const [first, second, third] = [
      '200000000000000011',
      '200000000000000012',
      '200000000000000013',
    ];
    const sent = (id: string, name: string, more: object = {}) => ({
      url: `https://cdn.discordapp.com/attachments/1/${id}/${name}?ex=1&is=1&hm=1`,
      attachment_id: id,
      content_type: null,
      width: 80,
      height: 60,
      ...more,
    });
    const foreign = (more: object = {}) => ({
      url: 'https://example.com/a.png',
      width: 8,
      ...more,
    });
    const told = (...components: object[]) =>
      mapped({ content: '', flags: 1 << 15, components: components as never });

    it('has the files that were sent with it as attachments', () => {
      const section = {
        type: 9,
        components: [{ type: 10, content: 'Hello' }],
        accessory: { type: 11, media: sent(first, 'a%20b.png'), description: ' A chart ' },
      };
      const gallery = {
        type: 12,
        items: [{ media: sent(second, 'c.bin', { content_type: 'image/webp' }) }],
      };
      const file = { type: 13, file: sent(third, 'd'), name: '../d.pdf', size: 7 };
      const message = told({ type: 17, components: [section, gallery, file] });
      const size = { width: 80, height: 60 };
      const urlOf = (path: string) => `https://cdn.discordapp.com/attachments/1/${path}`;
      expect(message?.attachments).to.deep.equal([
        {
          id: first,
          filename: 'a b.png',
          url: urlOf(`${first}/a%20b.png`),
          contentType: 'image/png',
          size: 0,
          ...size,
          description: 'A chart',
        },
        {
          id: second,
          filename: 'c.bin',
          url: urlOf(`${second}/c.bin`),
          contentType: 'image/webp',
          size: 0,
          ...size,
        },
        {
          id: third,
          filename: 'd.pdf',
          url: urlOf(`${third}/d`),
          contentType: 'application/pdf',
          size: 7,
          ...size,
        },
      ]);
      expect(message?.embeds).to.deep.equal([]);
    });

    it('has each file once, and as a spoiler where any component hides it', () => {
      const item = (id: string, more: object = {}) => ({ media: sent(id, 'a.png'), ...more });
      const attachments = [{ id: first, filename: 'a.png', url: sent(first, 'a.png').url }];
      const hiding = { type: 17, spoiler: true, components: [{ type: 12, items: [item(second)] }] };
      const gallery = {
        type: 12,
        items: [item(first, { spoiler: true }), item(third), item(third)],
      };
      const message = mapped({ attachments, components: [gallery, hiding] as never });
      expect(message?.attachments.map(({ id, spoiler = false }) => [id, spoiler])).to.deep.equal([
        [first, true],
        [third, false],
        [second, true],
      ]);
    });

    it('shows media from elsewhere as embeds do, and only links to what is hidden', () => {
      const gallery = {
        type: 12,
        items: [
          { media: foreign(), description: 'A chart' },
          { media: foreign({ url: 'https://example.com/b.mp4', content_type: 'video/mp4' }) },
          {
            media: foreign({ url: 'https://example.com/c.png' }),
            description: 'He did',
            spoiler: true,
          },
          { media: foreign({ url: 'javascript:alert(1)' }) },
        ],
      };
      const message = told(gallery);
      expect(message?.attachments).to.deep.equal([]);
      const shown = message?.embeds.map(({ type, url, description, images, video }) => ({
        type,
        url,
        description,
        media: [...images, ...(video ? [video] : [])].map((one) => one.url),
      }));
      expect(shown).to.deep.equal([
        { type: 'image', url: null, description: 'A chart', media: ['https://example.com/a.png'] },
        { type: 'video', url: null, description: null, media: ['https://example.com/b.mp4'] },
        { type: 'link', url: 'https://example.com/c.png', description: null, media: [] },
      ]);
      expect(JSON.stringify(message)).not.to.include('He did');
    });

    it('holds those of what it forwards', () => {
      const components = [
        { type: 12, items: [{ media: sent(first, 'a.png') }, { media: foreign() }] },
      ];
      const message = mapped({ content: '', message_snapshots: [{ message: { components } }] });
      expect(message?.forwarded?.attachments.map(({ id }) => id)).to.deep.equal([first]);
      expect(message?.forwarded?.embeds).to.have.length(1);
    });
  });

  it('hides each text of a component that hides', () => {
    const text = (content: string) => ({ type: 10, content });
    const section = { type: 9, components: [text('the butler')], accessory: text('did') };
    const container = {
      type: 17,
      spoiler: true,
      components: [text('The ||killer|| is `a || b`'), section],
    };
    const open = { type: 17, components: [text('Seen')] };
    const message = mapped({ content: '', flags: 1 << 15, components: [open, container] });
    expect(message?.content).to.equal(
      [
        'Seen',
        '||The |\u200b|killer|\u200b| is `a |\u200b| b`||',
        '||the butler||',
        '||did||',
      ].join(PART_BREAK),
    );
  });

  for (const [ending, text, shown] of [
    ['a backslash', 'the butler \\', 'the butler \\'],
    ['an escaped bar and another', 'the butler \\|| x', 'the butler \\|\u200b| x'],
    ['bars around what is not shown', 'the |\0| butler', 'the |\u200b| butler'],
    ['a row of bars', 'the |||| butler', 'the |\u200b|\u200b|\u200b| butler'],
    [
      'what stands between parts',
      'the\n\u2029butler \r\u0001\u2029did',
      'the\n\u2028butler \n\u2028did',
    ],
  ] as const) {
    it(`hides what a component hides, also with ${ending}`, () => {
      const components = [{ type: 17, spoiler: true, components: [{ type: 10, content: text }] }];
      const message = mapped({ content: '', flags: 1 << 15, components });
      expect(message?.content).to.equal(`||${shown}||`);
    });
  }

  for (const [open, close] of [
    ['**', '**'],
    ['_', '_'],
    ['~~', '~~'],
    ['[', '](https://example.com)'],
    ['`', '`'],
    ['```', '```'],
    ['||', ''],
    ['>>> ', ''],
    ['\\', ''],
  ] as const) {
    it(`hides what a component hides behind another that opens ${open}`, () => {
      const text = (content: string) => ({ type: 10, content });
      const hiding = { type: 17, spoiler: true, components: [text(`the ${close} butler`)] };
      const components = [text(`Seen ${open}x`), hiding, text(`${close} did`)];
      const { content = '' } = mapped({ content: '', flags: 1 << 15, components }) ?? {};
      const shown = renderContent(content, NO_NAMES).replace(
        /<span class="spoiler".*?<\/span>/,
        '',
      );
      expect(shown).to.include('Seen').and.include('did');
      expect(shown).to.not.match(/the|butler/);
    });
  }

  it('is one part, even if its author wrote what stands between parts', () => {
    const content = 'The ||butler\n\u2029did \r\u0001\u2029it||';
    const forwarded = { content, attachments: [], embeds: [], timestamp: '2026-01-02T03:04:05Z' };
    const message = mapped({ content, message_snapshots: [{ message: forwarded }] as never });
    for (const told of [message?.content, message?.forwarded?.content]) {
      const shown = renderContent(told ?? '', NO_NAMES);
      expect(shown).to.match(/^<p>The <span class="spoiler"[^>]*>butler<br \/>.*it<\/span><\/p>$/s);
    }
  });

  it('says what its poll asks, and how the votes stand', () => {
    const poll = {
      question: { text: 'Tea?' },
      answers: [
        { answer_id: 1, poll_media: { text: 'Yes', emoji: { id: null, name: '🫖' } } },
        { answer_id: 2, poll_media: { text: 'No' } },
      ],
      results: { answer_counts: [{ id: 1, count: 4 }] },
    };
    expect(mapped({ content: '', poll: poll as never })?.content).to.equal(
      '**Tea?**\n- 🫖 Yes (4)\n- No (0)',
    );
  });

  for (const text of [
    '> 8 GB',
    '>>> 8 GB',
    '# 1',
    '## 2',
    '1. January',
    '- none',
    '-# small',
    '* any',
    '2*3*4',
    '**all**',
    '__init__',
    '_name_',
    'a__b__c',
    'snake_case',
    '~~old~~',
    '~/.profile',
    '||hidden||',
    'a | b',
    '`npm`',
    'C:\\',
    '\\*',
    '[docs](https://example.com)',
    '[[docs]](https://example.com)',
    '[EU] servers',
  ]) {
    it(`shows ${text} in a poll as it was written`, () => {
      const poll = {
        question: { text },
        answers: [
          { answer_id: 1, poll_media: { text } },
          { answer_id: 2, poll_media: { text, emoji: { id: null, name: '🫖' } } },
        ],
      };
      const { content = '' } = mapped({ content: '', poll }) ?? {};
      const html = renderContent(content, NO_NAMES);
      const shown = html.replace(/<\/?a\b[^>]*>/g, '').replaceAll('&gt;', '>');
      const [question, ...answers] = [text, text, `🫖 ${text}`];
      const items = answers.map((answer) => `<li>${answer}</li>`).join('');
      expect(shown).to.equal(`<p><strong>${question}</strong></p><ul>${items}</ul>`);
    });
  }

  it('names the roles it mentions', () => {
    const message = mapped({ mention_roles: ['200000000000000001', '200000000000000003'] });
    expect(message?.mentionedRoles).to.deep.equal([{ id: '200000000000000001', name: 'Helpers' }]);
  });

  it('holds what it forwards', () => {
    const original = { content: 'Original', timestamp: '2026-01-01T00:00:00.000000+00:00' };
    const message = mapped({
      content: '',
      message_reference: {
        type: 1,
        message_id: '200000000000000004',
        channel_id: '200000000000000005',
      },
      message_snapshots: [{ message: original }],
    });
    expect(message?.forwarded?.content).to.equal('Original');
    expect(message?.reference).to.include({ type: 'forward', messageId: '200000000000000004' });
  });

  it('names whom the message mentions that it forwards, once each', () => {
    const ada = aLiveUser({ global_name: 'Ada' });
    const bob = aLiveUser({ global_name: 'Bob' });
    const original = {
      content: `<@${ada.id}> <@${bob.id}> <@&200000000000000001>`,
      mentions: [ada, bob],
      mention_roles: ['200000000000000001'],
    };
    const message = mapped({
      mentions: [{ ...ada, member: { nick: 'The first' } }],
      message_snapshots: [{ message: original }],
    });
    expect(message?.mentions.map(({ displayName }) => displayName)).to.have.members([
      'The first',
      'Bob',
    ]);
    expect(message?.mentions).to.have.length(2);
    expect(message?.mentionedRoles).to.deep.equal([{ id: '200000000000000001', name: 'Helpers' }]);
  });

  it('tells what those are called whom it mentions only where a nickname could be told', () => {
    const mentions = (member?: object) => ({ mentions: [{ ...aLiveUser(), ...member }] });
    expect(mapped(mentions())?.partsAsOf).to.include({ mentionNames: 0 });
    expect(mapped(mentions({ member: { nick: null } }))?.partsAsOf).not.to.have.property(
      'mentionNames',
    );
  });

  it('is no person where it comes by a webhook', () => {
    expect(mapped({ webhook_id: '200000000000000006' })?.author.isBot).to.equal(true);
  });

  it('is of the account that wrote it where it answers a command, and of none where a webhook wrote it', () => {
    const application_id = '200000000000000006';
    expect(mapped({ application_id, webhook_id: application_id })?.webhook).to.equal(undefined);
    const ofApplication = { application_id, webhook_id: '200000000000000008' };
    expect(mapped(ofApplication)?.webhook).to.equal(true);
  });

  it('answers nobody where it is not told who has used its command', () => {
    const id = '200000000000000006';
    const user = aLiveUser({ username: 'ada' });
    const bare = { interaction_metadata: { id }, interaction: { id, name: 'help' } };
    expect(mapped(bare)?.interaction).to.equal(null);
    const named = mapped({ ...bare, interaction: { id, name: 'help', user } });
    expect(named?.interaction).to.include({ name: 'help', username: 'ada' });
  });

  it('has the picture of its author', () => {
    const author = aLiveUser({ id: '200000000000000007', avatar: 'a_0f' });
    expect(mapped({ author })?.author.avatar).to.equal(
      'https://cdn.discordapp.com/avatars/200000000000000007/a_0f.gif',
    );
  });

  it('is refused where it is not what the platform promises', () => {
    const wrong: Partial<Record<keyof LiveMessage, unknown>>[] = [
      { id: '1; drop' },
      { content: { $ne: 1 } },
      { author: { id: '200000000000000007', username: 'x', avatar: '../../evil' } },
      { timestamp: 'soon' },
      { embeds: 'none' },
      { reactions: [{ count: -1, emoji: {} }] },
    ];
    for (const more of wrong) {
      const answer = { ...aLiveMessage(), ...more };
      expect(() => checkMessage(answer), JSON.stringify(more)).to.throw();
    }
  });

  it('keeps no other message of its page from being taken where it cannot be read', () => {
    const [first, last] = [aLiveMessage(), aLiveMessage()];
    const strange = { ...aLiveMessage(), embeds: 'none' };
    expect(readEntries([last, strange, first])).to.deep.equal({
      messages: [last, first],
      unreadable: [{ id: strange.id, reason: 'embeds must be an array' }],
    });
  });
});
