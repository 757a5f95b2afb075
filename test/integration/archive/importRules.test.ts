import { expect } from 'chai';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { ThreadDetail, ThreadPage } from '../../../shared/contract/threads.js';
import { THREAD_SORTS } from '../../../shared/contract/threads.js';
import type { SearchResponse } from '../../../shared/contract/search.js';
import { XSS_PAYLOADS } from '../../unit/indexer/content/xssPayloads.js';
import { expectSafeHtml } from '../../unit/indexer/content/expectSafeHtml.js';
import { everyTrace } from '../../support/everyTrace.js';
import { startArchive, type TestArchive } from '../../support/archive.js';
import {
  anExport,
  anExportMessage,
  anExportUser,
  type RawExport,
} from '../../support/exportFiles.js';
import { anId } from '../../support/factories.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';
import { walkThreads } from '../../support/wholeArchive.js';

const SECRET = 'zweikommafuenfgeheim';

describe('importing', () => {
  let archive: TestArchive;

  before(async () => {
    archive = await startArchive();
  });
  after(() => archive.close());

  const importFiles = (files: Record<string, RawExport | Buffer | string>) =>
    withTemporaryFolder(async (folder) => {
      for (const [name, content] of Object.entries(files)) {
        await mkdir(join(folder, name, '..'), { recursive: true });
        const isBytes = typeof content === 'string' || Buffer.isBuffer(content);
        await writeFile(join(folder, name), isBytes ? content : JSON.stringify(content));
      }
      return archive.cli('import', folder);
    });
  const detail = (threadId: string) => archive.json<ThreadDetail>(`/api/threads/${threadId}`);

  it('makes one thread of two overlapping parts, whatever their names and order', async () => {
    const messages = Array.from({ length: 20 }, (_, n) =>
      anExportMessage({ content: `Part ${n}` }),
    );
    const channel = { id: messages[0]!.id };
    const { code } = await importFiles({
      'x [part 2].json': anExport({ channel, messages: messages.slice(8).reverse() }),
      'deep/er/y.json.gz': gzipSync(
        JSON.stringify(anExport({ channel, messages: messages.slice(0, 12) })),
      ),
    });
    expect(code).to.equal(0);
    expect((await detail(channel.id)).messages.map(({ content }) => content)).to.deep.equal(
      messages.map(({ content }) => content),
    );
  });

  it('refuses private and damaged files, names each with its reason, stores nothing of them, and takes the others', async () => {
    const secret = () => [anExportMessage({ content: `The secret is ${SECRET}` })];
    const good = anExport({ channel: { name: 'A good one' } });
    const truncated = JSON.stringify(anExport({ messages: [...secret(), ...secret()] })).slice(
      0,
      -80,
    );
    const { code, stdout } = await importFiles({
      'good.json': good,
      'private.json': anExport({ channel: { type: 'GuildPrivateThread' }, messages: secret() }),
      'direct.json': anExport({
        guild: { id: '0' },
        channel: { type: 'DirectTextChat', categoryId: '0' },
        messages: secret(),
      }),
      'group.json': anExport({ channel: { type: 'DirectGroupTextChat' }, messages: secret() }),
      'cut.json': truncated,
      'other.json': '{"hello":"world"}',
      'empty.json': '',
      'list.json': '[1,2]',
      'text.json': anExport({ channel: { type: 'GuildTextChat' }, messages: secret() }),
      'notes.md': '# no export',
    });
    expect(code).to.equal(1);
    for (const name of [
      'private.json',
      'direct.json',
      'group.json',
      'cut.json',
      'other.json',
      'empty.json',
      'list.json',
      'text.json',
    ]) {
      expect(stdout, name).to.match(new RegExp(`${name}: .{10}`));
    }
    expect(stdout).to.contain('1 other file ignored').and.to.not.contain('notes.md');
    expect(await detail(good.channel.id)).to.include({ title: 'A good one' });
    expect((await everyTrace(archive.api.stores)).join('\n')).to.not.contain(SECRET);
  });

  it('shows names, titles, file names and embeds of a hostile export only as text', async () => {
    const evil = `"><img src=x onerror=alert(1)><script>alert(2)</script>`;
    const author = anExportUser({
      id: anId(),
      name: evil,
      nickname: evil,
      avatarUrl: 'javascript:alert(3)',
    });
    const messages = [
      anExportMessage({
        author,
        content: `${evil} [x](javascript:alert(4)) @${evil} <javascript:alert(5)> \`\`\`js"onclick=alert(6)\n${evil}\`\`\``,
        mentions: [author],
        attachments: [
          { id: anId(), url: 'javascript:alert(7)', fileName: `${evil}.png`, fileSizeBytes: 1 },
        ],
        embeds: [
          {
            title: evil,
            url: 'javascript:alert(8)',
            description: evil,
            thumbnail: { url: 'data:text/html,x' },
          },
        ],
      }),
    ];
    const { code } = await importFiles({
      'evil.json': anExport({
        guild: { name: evil },
        channel: { name: `Findme ${evil}`, category: evil },
        messages,
      }),
    });
    expect(code).to.equal(0);
    const reply = await archive.api.get(`/api/threads/${messages[0]!.id}`);
    expect(reply.headers['content-type']).to.contain('application/json');
    expect(reply.headers['x-content-type-options']).to.equal('nosniff');
    const body = reply.json() as ThreadDetail;
    expect(body.messages[0]!.contentHtml).to.not.match(/<(script|img)|href="?javascript/i);
    const urls = [
      body.author.avatar,
      body.messages[0]!.attachments[0]!.url,
      body.messages[0]!.embeds[0]!.url,
      body.messages[0]!.embeds[0]!.thumbnail?.url,
    ];
    for (const url of urls.filter((one) => one !== null && one !== undefined))
      expect(url).to.match(/^https:\/\//);
    const found = await archive.json<{
      results: { threads: { highlights: { title?: string } }[] };
    }>('/api/search?q=findme');
    expect(found.results.threads[0]!.highlights.title)
      .to.match(/<mark>Findme<\/mark>/)
      .and.to.not.match(/<(?!\/?mark>)/);
  });

  it('makes nothing in a public collection of attacks dangerous, wherever it stands', async () => {
    const messages = XSS_PAYLOADS.map((payload) =>
      anExportMessage({
        content: `needle ${payload}`.slice(0, 4_000),
        author: anExportUser({
          id: anId(),
          name: payload.slice(0, 80),
          nickname: payload.slice(0, 80),
        }),
        attachments: [
          {
            id: anId(),
            url: payload.slice(0, 500),
            fileName: payload.slice(0, 200),
            fileSizeBytes: 1,
          },
        ],
        embeds: [{ title: payload, description: payload, url: payload.slice(0, 500) }],
      }),
    );
    const tags = XSS_PAYLOADS.slice(0, 20).map((payload) => ({
      id: anId(),
      name: payload.slice(0, 100),
      emoji: payload.slice(0, 32),
      moderated: false,
    }));
    const channel = {
      name: `needle ${XSS_PAYLOADS[0]}`,
      categoryId: anId(),
      availableTags: tags,
      appliedTags: tags.map(({ id }) => id),
    };
    const { code, stdout } = await importFiles({
      'attacks.json': anExport({ channel: { id: messages[0]!.id, ...channel }, messages }),
    });
    expect(code, stdout).to.equal(0);
    const thread = await detail(messages[0]!.id);
    expect(thread.messages).to.have.length(XSS_PAYLOADS.length);
    for (const message of thread.messages) {
      expectSafeHtml(message.contentHtml);
      for (const { url } of [...message.attachments, ...message.embeds])
        if (url) expect(url).to.match(/^https?:/);
      expect(message.author.avatar).to.match(/^https:/);
    }
    for (let offset = 0; offset < XSS_PAYLOADS.length; offset += 100) {
      const { results } = await archive.json<SearchResponse>(
        `/api/search?q=needle&limit=100&offset=${offset}`,
      );
      for (const { highlights } of [...results.threads, ...results.messages]) {
        for (const html of Object.values(highlights)) expect(html).to.not.match(/<(?!\/?mark>)/);
      }
    }
  });

  it('keeps tags and states that a later plain export does not tell', async () => {
    const tag = { id: anId(), name: 'Solved', emoji: '✅', moderated: false };
    const message = anExportMessage();
    const channel = { id: message.id, categoryId: anId(), category: 'tagged' };
    await importFiles({
      'live.json': anExport({
        channel: {
          ...channel,
          availableTags: [tag],
          appliedTags: [tag.id],
          archived: true,
          archivedAt: '2026-01-05T00:00:00+00:00',
        },
        messages: [message],
      }),
    });
    expect(await detail(message.id)).to.include({
      status: 'resolved',
      archivedAt: '2026-01-05T00:00:00.000Z',
    });
    await importFiles({
      'plain.json': {
        ...anExport({ channel: { ...channel, name: 'Renamed' }, messages: [message] }),
        exportedAt: '2026-03-01T00:00:00+00:00',
      },
    });
    const after = await detail(message.id);
    expect(after).to.include({
      title: 'Renamed',
      status: 'resolved',
      archivedAt: '2026-01-05T00:00:00.000Z',
    });
    expect(after.tags).to.deep.equal(['Solved']);
    const list = await archive.json<ThreadPage>('/api/threads?tag=SOLVED');
    expect(list.threads.map(({ id }) => id)).to.deep.equal([message.id]);
  });

  it('shows the edited text of two exports of old versions, in either order, even if a part alone was exported anew', async () => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const question = anExportMessage({ content: 'before' });
      const channel = { id: question.id };
      const edited = {
        ...question,
        content: 'after',
        timestampEdited: new Date(Date.now() - 1_000).toISOString(),
      };
      const files = [
        anExport({ channel, messages: [question, anExportMessage()] }),
        anExport({ channel, messages: [edited] }),
      ].map(({ exportedAt: _exportedAt, ...file }): RawExport => file);
      for (const n of order) expect((await importFiles({ 'a.json': files[n]! })).code).to.equal(0);
      expect((await detail(channel.id)).messages[0]).to.include({ content: 'after' });
    }
  });

  it('shows a new name of a channel and of a tag in threads that were there before', async () => {
    const tag = { id: anId(), name: 'Old tag', emoji: null, moderated: false };
    const [one, two] = [anExportMessage(), anExportMessage()];
    const parent = { categoryId: anId(), category: 'old-name' };
    await importFiles({
      'one.json': anExport({
        channel: { id: one.id, ...parent, availableTags: [tag], appliedTags: [tag.id] },
        messages: [one],
      }),
    });
    const renamed = {
      categoryId: parent.categoryId,
      category: 'new-name',
      availableTags: [{ ...tag, name: 'New tag' }],
    };
    await importFiles({
      'two.json': {
        ...anExport({ channel: { id: two.id, ...renamed }, messages: [two] }),
        exportedAt: '2026-03-01T00:00:00+00:00',
      },
    });
    const before = await detail(one.id);
    expect(before).to.include({ channelName: 'new-name' });
    expect(before.tags).to.deep.equal(['New tag']);
  });

  it('misses no thread and shows none twice while others are being imported', async () => {
    const start = Array.from({ length: 30 }, () => anExport({ messages: [anExportMessage()] }));
    const guild = { id: anId() };
    await importFiles(
      Object.fromEntries(
        start.map((file, n) => [
          `${n}.json`,
          {
            ...file,
            guild: { ...file.guild, ...guild },
            channel: { ...file.channel, categoryId: guild.id },
          },
        ]),
      ),
    );
    const there = new Set(start.map(({ channel }) => channel.id));
    const more = Array.from({ length: 30 }, (_, n) => {
      const message = anExportMessage({ id: n % 2 ? anId('2025-06-01T00:00:00Z') : anId() });
      return anExport({
        guild,
        channel: { id: message.id, categoryId: guild.id },
        messages: [message],
      });
    });
    const importing = importFiles(Object.fromEntries(more.map((file, n) => [`${n}.json`, file])));
    let walks = 0;
    for (let isDone = false; !isDone || walks < 2;) {
      isDone = await Promise.race([
        importing.then(() => true),
        new Promise<false>((resolve) => setImmediate(() => resolve(false))),
      ]);
      for (const sort of THREAD_SORTS) {
        for (const limit of [1, 7, 100]) {
          const ids = await walkThreads(archive, `serverId=${guild.id}&sort=${sort}`, limit);
          expect(new Set(ids).size, `${sort} by ${limit}`).to.equal(ids.length);
          expect(ids, `${sort} by ${limit}`).to.include.members([...there]);
        }
      }
      walks += 1;
    }
    expect(new Set(await walkThreads(archive, `serverId=${guild.id}`, 7)).size).to.equal(60);
  });
});
