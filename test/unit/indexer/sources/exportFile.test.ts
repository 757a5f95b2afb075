import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { sourceMessage, sourceThread } from '../../../../services/indexer/sources/exportFile.js';
import type { ExportEmbed, ExportMessage } from '../../../../shared/exportFormat/exportTypes.js';
import { UNTOLD_COPY } from '../../../../shared/store/forwards.js';
import type { SourceMessage } from '../../../../shared/store/records.js';
import {
  anExport,
  anExportFile,
  anExportMessage,
  anExportUser,
} from '../../../support/exportFiles.js';

/** The beginning of the digest that the exporter puts into the name of a saved file. */
const digestOf = (address: string, digits: number): string =>
  createHash('sha256').update(address).digest('hex').slice(0, digits);

const map = (more: Partial<ExportMessage>): SourceMessage =>
  sourceMessage(anExportMessage(more), anExportFile());

describe('sourceThread', () => {
  it('tells only what a plain export holds', () => {
    const root = anExport();
    const { source, inferred } = sourceThread(anExportFile(root));
    expect(source).to.deep.equal({
      asOf: 1_769_947_200_123_456,
      server: { _id: root.guild.id, name: 'Server', icon: null },
      channel: { _id: '300000000000000001', serverId: root.guild.id, name: 'help', type: 15 },
      thread: {
        _id: root.channel.id,
        serverId: root.guild.id,
        channelId: '300000000000000001',
        title: 'How do I start?',
      },
    });
    expect(inferred).to.deep.equal({ type: 0 });
  });

  it('tells that the name of a forum is none of its own where the file has none', () => {
    const { source, inferred } = sourceThread(
      anExportFile(anExport({ channel: { category: null } })),
    );
    expect(source.channel.name).to.equal('channel');
    expect(inferred).to.deep.equal({ type: 0, name: 0 });
  });

  it('takes a thread that was started from a message for one of a text channel', () => {
    const { source, inferred } = sourceThread(
      anExportFile(anExport(), { startedFromMessage: true }),
    );
    expect(source.channel.type).to.equal(0);
    expect(inferred).to.deep.equal({ type: 1 });
  });

  it('tells what the extended form holds, tags by name too', () => {
    const availableTags = [
      { id: '400000000000000001', name: 'Solved', emoji: '✅', moderated: true },
    ];
    const { source, inferred } = sourceThread(
      anExportFile(
        anExport({
          guild: { description: 'About', memberCount: 5 },
          channel: {
            availableTags,
            appliedTags: ['Solved', '400000000000000099'],
            archived: true,
            archivedAt: '2026-01-02T00:00:00+01:00',
            locked: false,
            lockedAt: null,
            pinned: true,
            ownerId: '500000000000000001',
            forum: { type: 15, topic: 'Ask', position: 2, parentId: null, parentName: null },
          },
        }),
      ),
    );
    expect(inferred).to.deep.equal({});
    expect(source.server).to.deep.include({ description: 'About', memberCount: 5 });
    expect(source.channel).to.deep.include({
      availableTags,
      topic: 'Ask',
      position: 2,
      parentId: null,
    });
    expect(source.thread).to.deep.include({
      appliedTags: ['400000000000000001', '400000000000000099'],
      archived: true,
      pinned: true,
      archivedAt: new Date('2026-01-01T23:00:00Z'),
      lockedAt: null,
      ownerId: '500000000000000001',
    });
  });

  it('takes an owner that is null for one that is not told', () => {
    const { thread } = sourceThread(anExportFile(anExport({ channel: { ownerId: null } }))).source;
    expect(thread).not.to.have.property('ownerId');
  });

  it('maps a forum without threads', () => {
    const root = anExport({
      channel: { id: '300000000000000009', type: 'GuildForum', name: 'Ideas', topic: 'Dream' },
      messages: [],
    });
    const { source } = sourceThread(anExportFile(root, { kind: 'forum' }));
    expect(source.thread).to.equal(null);
    expect(source.channel).to.deep.equal({
      _id: '300000000000000009',
      serverId: root.guild.id,
      name: 'Ideas',
      type: 15,
      topic: 'Dream',
      parentId: '300000000000000001',
      parentName: 'help',
    });
  });

  it('knows the icon by its hash, and nothing of one saved beside the file', () => {
    const icon = (iconUrl: string | null): unknown =>
      sourceThread(anExportFile(anExport({ guild: { iconUrl } }))).source.server.icon;
    expect(icon('https://cdn.discordapp.com/icons/1/a_0f.gif?size=512')).to.equal('a_0f');
    expect(icon('https://cdn.discordapp.com/embed/avatars/0.png')).to.equal(null);
    expect(icon('x.json_Files/0-eb806f2b.png')).to.equal(undefined);
  });

  it('knows the icon of the server by the name that the exporter gave the saved file', () => {
    const icon = (iconUrl: string): unknown =>
      sourceThread(anExportFile(anExport({ guild: { iconUrl } }))).source.server.icon;
    const hash = '0123456789abcdef0123456789abcdef';
    const address = `https://cdn.discordapp.com/icons/200000000000000001/${hash}.png?size=512`;
    expect(icon(`x.json_Files/${hash}-${digestOf(address, 16)}.png`)).to.equal(hash);
    expect(icon(`x.json_Files/${hash}-${digestOf(`${address}0`, 16)}.png`)).to.equal(undefined);
    // The server has no icon.
    expect(icon('x.json_Files/0-eb806f2bcf037a33.png')).to.equal(null);
  });

  it('cleans names, and leaves none in which nothing can be seen', () => {
    const title = (name: string): unknown =>
      sourceThread(anExportFile(anExport({ channel: { name } }))).source.thread?.title;
    expect(title(' a\u202e\u0007b\n\tc\ud800 ')).to.equal('ab c\ufffd');
    for (const unseen of ['\u200f \u0000', '\u200b', '\u3164\u3164', '\u2800 \u00ad']) {
      expect(title(unseen)).to.equal('thread');
    }
    expect(title('🦀'.repeat(300))).to.equal('🦀'.repeat(200));
  });
});

describe('sourceMessage', () => {
  it('knows types by name and number, and which count', () => {
    const types = [
      'Default',
      'Reply',
      '20',
      21,
      '23',
      'ThreadCreated',
      'ChannelNameChange',
      'PollResult',
      '46',
      '8',
      'New',
      'constructor',
      '__proto__',
    ];
    expect(
      types.map((type) => map({ type })).map(({ type, counted }) => [type, counted]),
    ).to.deep.equal([
      [0, true],
      [19, true],
      [20, true],
      [21, true],
      [23, true],
      [18, false],
      [4, false],
      [46, false],
      [46, false],
      [8, false],
      [-1, false],
      [-1, false],
      [-1, false],
    ]);
  });

  for (const timestamp of ['0001-01-01T00:00:00+00:00', '1969-12-31T23:59:59.999+00:00']) {
    it(`takes the time from the id where the file tells ${timestamp}, which stands for none`, () => {
      const { createdAt } = map({ id: '1543572393384087642', timestamp });
      expect(createdAt.toISOString()).to.equal('2026-08-30T10:45:36.771Z');
    });
  }

  it('takes the time from the id, unless the file disagrees by more than a day', () => {
    const id = '1543572393384087642';
    const time = (timestamp: string): string => map({ id, timestamp }).createdAt.toISOString();
    expect(time('2026-08-30T13:45:36+03:00')).to.equal('2026-08-30T10:45:36.771Z');
    expect(time('2020-01-01T00:00:00+00:00')).to.equal('2020-01-01T00:00:00.000Z');
  });

  it('keeps https avatars, and else gives the default one of the account', () => {
    const avatar = (more: object): string =>
      map({ author: anExportUser({ id: '100000000012582913', ...more }) }).author.avatar;
    expect(avatar({ avatarUrl: 'https://a.example/b.png' })).to.equal('https://a.example/b.png');
    for (const avatarUrl of ['javascript:alert(1)', 'http://a.example', 'media\\a.png', null]) {
      expect(avatar({ avatarUrl })).to.equal('https://cdn.discordapp.com/embed/avatars/3.png');
    }
    const legacy = avatar({ avatarUrl: 'x.png', discriminator: '5764' });
    expect(legacy).to.equal('https://cdn.discordapp.com/embed/avatars/4.png');
  });

  it('gives saved avatars their address on the platform, by the name that the exporter gave the file', () => {
    const id = '100000000012582913';
    const avatar = (avatarUrl: string): string =>
      map({ author: anExportUser({ id, avatarUrl }) }).author.avatar;
    const cdn = 'https://cdn.discordapp.com';
    const hash = '0123456789abcdef0123456789abcdef';
    const own = `${cdn}/avatars/${id}/${hash}.png`;
    const onServer = `${cdn}/guilds/200000000000000001/users/${id}/avatars/a_${hash}.gif`;
    const recent = digestOf(`${own}?size=512`, 16);
    const older = digestOf(`${onServer}size=512`, 5).toUpperCase();
    const oldest = digestOf(`${own}?size=128`, 5).toUpperCase();
    expect(avatar(`x.json_Files/${hash}-${recent}.png`)).to.equal(own);
    expect(avatar(`C:\\media\\a_${hash}-${older}.gif`)).to.equal(onServer);
    expect(avatar(`${hash}-${oldest}.png`)).to.equal(own);
    expect(avatar('x.json_Files/4-4551a51a707878de.png')).to.equal(`${cdn}/embed/avatars/4.png`);
    const others = digestOf(`${cdn}/avatars/100000000000000001/${hash}.png?size=512`, 16);
    expect(avatar(`x.json_Files/${hash}-${others}.png`)).to.equal(`${cdn}/embed/avatars/3.png`);
  });

  it('names an author whom the file does not', () => {
    const { author } = map({ author: { id: '100000000000000001' } });
    expect(author).to.include({
      username: 'user-100000000000000001',
      discriminator: null,
      isBot: false,
    });
  });

  it('gives saved attachments their address on the platform', () => {
    const [saved, remote] = map({
      attachments: [
        { id: '9', url: 'x.json_Files\\a b-1A2B3.PNG', fileName: 'a b.PNG', fileSizeBytes: 7 },
        { id: '8', url: 'http://example.org/c?d', fileName: '../c', contentType: 'text/html\n' },
      ],
    }).attachments;
    const threadId = anExportFile().header.channel.id.length;
    expect(saved?.url).to.match(
      new RegExp(`^https://cdn.discordapp.com/attachments/\\d{${threadId}}/9/a%20b.PNG$`),
    );
    expect(saved).to.include({ contentType: 'image/png', size: 7, width: null });
    expect(remote).to.include({ url: 'http://example.org/c?d', contentType: null, size: 0 });
  });

  it('keeps the last part of a file name, which an import of that name leaves as it is', () => {
    const nameOf = (fileName: string) =>
      map({ attachments: [{ id: '9', url: '', fileName }] }).attachments[0]?.filename;
    for (const [given, kept] of Object.entries({
      '../../a b.png': 'a b.png',
      'C:\\ . config': 'config',
      'folder/ ..': 'file',
      'folder/\u3164': 'file',
      '.\u2800': 'file',
    })) {
      expect(nameOf(given)).to.equal(kept);
      expect(nameOf(kept)).to.equal(kept);
    }
  });

  it('cuts a long file name before its ending, which tells what kind of file it is', () => {
    const fileOf = (fileName: string) => map({ attachments: [{ id: '9', url: '', fileName }] });
    for (const [given, kept] of Object.entries({
      [`${'n'.repeat(251)}.PNG`]: `${'n'.repeat(196)}.PNG`,
      [`${'folder/'.repeat(40)}a.PNG`]: 'a.PNG',
      [`${'🎉'.repeat(251)}.PNG`]: `${'🎉'.repeat(196)}.PNG`,
    })) {
      const [file] = fileOf(given).attachments;
      expect(file).to.include({ filename: kept, contentType: 'image/png' });
      expect(file?.url).to.match(/\.PNG$/);
      expect(fileOf(kept).attachments[0]?.filename).to.equal(kept);
    }
    expect(fileOf('.'.repeat(300)).attachments[0]?.filename).to.equal('file');
    const endless = `a.${'n'.repeat(251)}`;
    expect(fileOf(endless).attachments[0]?.filename).to.equal(endless.slice(0, 200));
  });

  it('gives an embed no time where the one it has is beyond what is kept', () => {
    const times = ['9999-12-31T23:59:59+00:00', '2026-01-02T03:04:05+00:00', null];
    const { embeds } = map({ embeds: times.map((timestamp) => ({ timestamp })) });
    const kept = embeds.map(({ timestamp }) => timestamp?.getUTCFullYear());
    expect(kept).to.deep.equal([undefined, 2026, undefined]);
  });

  it('takes a time of the year 1, which the exporter writes for none, for none', () => {
    const none = '0001-01-01T00:00:00+00:00';
    expect(map({ asOf: none }).asOf).to.equal(map({}).asOf);
    const { editedAt, embeds, forwarded } = map({
      timestampEdited: none,
      embeds: [{ timestamp: none }],
      forwardedMessage: { timestamp: none, timestampEdited: none, embeds: [{ timestamp: none }] },
    });
    expect([editedAt, embeds[0]?.timestamp]).to.deep.equal([null, null]);
    expect(forwarded).to.deep.include({ createdAt: null, editedAt: null });
    expect(forwarded?.embeds[0]?.timestamp).to.equal(null);
    const { source } = sourceThread(
      anExportFile(anExport({ channel: { archivedAt: none, lockedAt: none } })),
    );
    expect(source.thread).to.include({ archivedAt: null, lockedAt: null });
  });

  it('restores text in content, embeds and forwarded messages, unless the file is raw', () => {
    const more: Partial<ExportMessage> = {
      content: '@Ada',
      mentions: [anExportUser()],
      embeds: [{ title: '@Ada', description: ':blob:', inlineEmojis: [{ id: '7', name: 'blob' }] }],
      forwardedMessage: { content: '@Ada', timestamp: '0001-01-01T00:00:00+00:00' },
    };
    const restored = map(more);
    expect(restored.content).to.equal('<@100000000000000001>');
    expect(restored.embeds[0]).to.include({
      title: '<@100000000000000001>',
      description: '<:blob:7>',
    });
    expect(restored.forwarded).to.deep.include({
      content: '<@100000000000000001>',
      createdAt: null,
    });
    const file = anExportFile({ ...anExport(), contentFormat: 'raw' });
    expect(sourceMessage(anExportMessage(more), file).content).to.equal('@Ada');
  });

  it('takes usernames for mentions in a file of an old version, which tells no time of its own', () => {
    const message = anExportMessage({ content: '@ada', mentions: [anExportUser()] });
    const { exportedAt: _exportedAt, ...header } = anExportFile().header;
    const old = { ...anExportFile(), header };
    expect(sourceMessage(message, old).content).to.equal('<@100000000000000001>');
    expect(sourceMessage(message, anExportFile()).content).to.equal('@ada');
  });

  it('takes the content of an exporter for one part, and keeps the parts of a raw one', () => {
    const content = '||a\n\u2029b||';
    const forwardedMessage = { content };
    expect(map({ content, forwardedMessage })).to.deep.include({ content: '||a\n\u2028b||' });
    expect(map({ forwardedMessage }).forwarded?.content).to.equal('||a\n\u2028b||');
    const file = anExportFile({ ...anExport(), contentFormat: 'raw' });
    expect(sourceMessage(anExportMessage({ content }), file).content).to.equal(content);
  });

  it('takes no copy of a forwarded message of which the thread is not told', () => {
    const copied = (messageId: string | null, channelId: string | null) =>
      map({
        reference: { type: 'Forward', messageId, channelId },
        forwardedMessage: { content: 'Words' },
      }).forwarded?.content;
    expect(copied('123', null)).to.equal(undefined);
    expect(copied('123', '456')).to.equal('Words');
    // Nobody can tell which message this is, so it is shown.
    expect(copied(null, null)).to.equal('Words');
  });

  it('tells a forward without its copy from a message that forwards nothing', () => {
    const reference = { messageId: '123', channelId: '456' };
    expect(map({ reference: { type: 'Forward', ...reference } }).forwarded).to.equal(UNTOLD_COPY);
    expect(map({ reference: { type: 'Default', ...reference } }).forwarded).to.equal(null);
  });

  it("restores text in a forwarded message's embeds by their own emojis before the message's", () => {
    const { forwarded } = map({
      inlineEmojis: [
        { id: '7', name: 'blob' },
        { id: '8', name: 'more' },
      ],
      forwardedMessage: {
        content: ':blob:',
        embeds: [
          { title: ':blob: :more:', inlineEmojis: [{ id: '55', name: 'blob' }] },
          { title: ':blob:' },
        ],
      },
    });
    expect(forwarded?.content).to.equal('<:blob:7>');
    const titles = forwarded?.embeds.map(({ title }) => title);
    expect(titles).to.deep.equal(['<:blob:55> <:more:8>', '<:blob:7>']);
  });

  it('drops addresses that are none of the web', () => {
    const embed: ExportEmbed = {
      url: 'javascript:alert(1)',
      color: '#00FF10',
      author: { name: 'A', url: 'data:text/html,x', iconUrl: 'a.png' },
      thumbnail: { url: 'local.png', canonicalUrl: 'https://example.org/"x"' },
      image: { url: 'local.png' },
    };
    expect(map({ embeds: [embed] }).embeds[0]).to.deep.include({
      url: null,
      color: 65_296,
      author: { name: 'A', url: null, iconUrl: null },
      thumbnail: { url: 'https://example.org/%22x%22', width: null, height: null },
      images: [],
    });
  });

  it('takes the original address of an icon, and the other one where an old version tells no more', () => {
    const original = 'https://example.org/i.png';
    const proxied = 'https://images-ext-1.discordapp.net/external/x/https/example.org/i.png';
    const iconsOf = (icon: { iconUrl: string; iconCanonicalUrl?: string }) => {
      const embed = { author: { name: 'A', ...icon }, footer: { text: 'F', ...icon } };
      const { author, footer } = map({ embeds: [embed] }).embeds[0]!;
      return [author?.iconUrl, footer?.iconUrl];
    };
    for (const iconUrl of [proxied, 'x.json_Files/i-0123456789abcdef.png'])
      expect(iconsOf({ iconUrl, iconCanonicalUrl: original })).to.deep.equal([original, original]);
    expect(iconsOf({ iconUrl: proxied })).to.deep.equal([proxied, proxied]);
  });

  it('takes a size of 0 for none, as exporters write it where they know none', () => {
    const picture = { url: 'https://example.org/a.png', width: 0, height: 0 };
    const sized = { url: 'https://example.org/b.png', width: 1.5, height: 2 };
    expect(map({ embeds: [{ thumbnail: picture, image: sized }] }).embeds[0]).to.deep.include({
      thumbnail: { ...picture, width: null, height: null },
      images: [sized],
    });
  });

  it('takes a colour as text and as a number', () => {
    const colors = ['#FF0000', 255, 'red', null].map((color) => ({ color }));
    const mapped = map({ embeds: colors }).embeds.map(({ color }) => color);
    expect(mapped).to.deep.equal([0xff0000, 255, null, null]);
  });

  it('maps reactions, references and interactions', () => {
    const message = map({
      reactions: [
        { emoji: { id: '', name: '👍' }, count: 3, users: [{ id: '5' }] },
        { emoji: { id: '6', name: 'blob', isAnimated: true }, count: 1 },
      ],
      reference: { type: 'Forward', messageId: '7', channelId: null },
      interaction: { id: '8', name: '', user: anExportUser() },
    });
    expect(message.reactions).to.deep.equal([
      { emoji: { id: null, name: '👍', animated: false }, count: 3, userIds: ['5'] },
      { emoji: { id: '6', name: 'blob', animated: true }, count: 1, userIds: [] },
    ]);
    expect(message.reference).to.deep.equal({
      type: 'forward',
      messageId: '7',
      channelId: null,
      guildId: null,
    });
    expect(message.interaction).to.include({ name: 'command', username: 'ada' });
  });

  it('leaves out a reaction that nobody gives any more', () => {
    const { reactions } = map({
      reactions: [
        { emoji: { id: '', name: '👎' }, count: 0, users: [] },
        { emoji: { id: '', name: '👍' }, count: 1, users: [] },
      ],
    });
    expect(reactions.map(({ emoji }) => emoji.name)).to.deep.equal(['👍']);
  });

  it('replaces lone surrogates and drops NUL in content', () => {
    expect(map({ content: 'a\ud83d\u0000b🙂' }).content).to.equal('a\ufffdb🙂');
  });
});
