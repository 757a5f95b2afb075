import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { ExportError } from '../../../../shared/exportFormat/exportError.js';
import { MAX_VALUE_BYTES } from '../../../../shared/exportFormat/limits.js';
import {
  inspectExport,
  messagesOf,
  readMessages,
} from '../../../../shared/exportFormat/readExport.js';
import { anExport, anExportMessage, anExportUser, bytesOf } from '../../../support/exportFiles.js';
import { anId } from '../../../support/factories.js';

const inspect = (value: unknown, chunkSize?: number) => inspectExport(bytesOf(value, chunkSize));

async function idsOf(value: unknown): Promise<string[]> {
  const ids: string[] = [];
  for await (const batch of readMessages(bytesOf(value))) ids.push(...batch.map(({ id }) => id));
  return ids;
}

describe('inspectExport', () => {
  const messages = [anExportMessage(), anExportMessage({ content: 'Zwei „ü“ 🙂 \\ " }' })];

  it('takes a public thread and counts what it holds', async () => {
    const found = await inspect(anExport({ messages }));
    expect(found).to.deep.include({ kind: 'thread', messages: 2, startedFromMessage: false });
  });

  it('keeps only the ids of those who reacted where a message is large', async () => {
    const users = Array.from({ length: 12_000 }, () => {
      return anExportUser({
        id: anId(),
        nickname: 'As the exporter writes those who reacted '.repeat(5),
      });
    });
    const reactions = [{ emoji: { id: '', name: '👍' }, count: users.length, users }];
    const large = anExport({ messages: [anExportMessage({ reactions })] });
    expect(JSON.stringify(large).length).to.be.greaterThan(MAX_VALUE_BYTES);
    expect(await inspect(large)).to.include({ kind: 'thread', messages: 1 });
    for await (const [message] of readMessages(bytesOf(large))) {
      expect(message!.reactions![0]!.users).to.deep.equal(users.map(({ id }) => ({ id })));
    }
  });

  it('rejects a large message where it is not for those who reacted', async () => {
    const text = 'x'.repeat(65_536);
    const embeds = [{ fields: Array.from({ length: 40 }, () => ({ name: text, value: text })) }];
    const found = await inspect(anExport({ messages: [anExportMessage({ embeds })] }));
    expect(found).to.include({ kind: 'rejected' });
    expect(found).to.have.property(
      'reason',
      `A single value is larger than ${MAX_VALUE_BYTES} bytes`,
    );
  });

  it('finds the same, however the bytes are cut', async () => {
    const text = JSON.stringify(anExport({ messages }), null, 2);
    const whole = await inspect(text);
    for (const size of [1, 2, 3, 7, 64]) expect(await inspect(text, size)).to.deep.equal(whole);
  });

  it('accepts messages before guild and channel', async () => {
    const { messages: list, ...rest } = anExport({ messages });
    expect(await inspect({ messages: list, ...rest })).to.deep.include({
      kind: 'thread',
      messages: 2,
    });
  });

  it('rejects a file from the future, which would win over every later one', async () => {
    const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const found = await inspect({ ...anExport(), exportedAt: at(370) });
    expect(found).to.include({ kind: 'rejected', at: 'exportedAt' });
    expect(found).to.have.property('reason').that.contains("a year ahead of the archive's clock");
    expect((await inspect({ ...anExport(), exportedAt: at(2) })).kind).to.equal('thread');
  });

  it('rejects a message from the future, even if the file does not tell when it was exported', async () => {
    const messages = [anExportMessage({ timestamp: '2199-01-01T00:00:00+00:00' })];
    const { exportedAt: _exportedAt, ...old } = anExport({ messages });
    for (const file of [anExport({ messages }), old]) {
      const found = await inspect(file);
      expect(found).to.have.property('reason').that.contains('is more than a year ahead');
      expect(found).to.have.property('at').that.contains('messages[0].timestamp');
    }
  });

  it('rejects a message whose id is from the future, where its timestamp tells no time', async () => {
    const messages = [
      anExportMessage({
        id: anId('2150-01-01T00:00:00Z'),
        timestamp: '0001-01-01T00:00:00+00:00',
      }),
    ];
    const found = await inspect(anExport({ messages }));
    expect(found).to.have.property('reason').that.contains('is more than a year ahead');
    expect(found).to.have.property('at').that.contains('messages[0].id');
  });

  it('dates a file by the ids of its messages where neither it nor they tell a time', async () => {
    const id = anId('2020-01-01T00:00:00Z');
    const messages = [anExportMessage({ id, timestamp: '0001-01-01T00:00:00+00:00' })];
    const { exportedAt: _exportedAt, ...old } = anExport({ messages });
    expect(await inspect(old)).to.include({ asOf: Date.parse('2020-01-01') * 1_000 });
  });

  it('dates a file of old versions by its newest message, an empty one by its thread', async () => {
    const { exportedAt: _exportedAt, ...old } = anExport({
      messages: ['2021-05-01', '2021-07-01', '2021-06-01'].map((day) =>
        anExportMessage({ id: anId(day), timestamp: `${day}T00:00:00+00:00` }),
      ),
    });
    expect(await inspect(old)).to.include({ asOf: Date.parse('2021-07-01') * 1_000 });
    const channel = { ...old.channel, id: anId('2021-04-01') };
    const empty = await inspect({ ...old, channel, messages: [] });
    expect(empty).to.include({ asOf: Date.parse('2021-04-01') * 1_000 });
  });

  it('dates a file of old versions by its latest edit where that is later than its messages', async () => {
    const old = (...edits: (string | null)[]) => {
      const messages = edits.map((timestampEdited) =>
        anExportMessage({ id: anId('2021-05-01'), timestampEdited }),
      );
      const { exportedAt: _exportedAt, ...file } = anExport({ messages });
      return file;
    };
    const edits = ['2022-06-01T12:00:00+02:00', '2022-01-01T00:00:00+00:00', null] as const;
    expect(await inspect(old(...edits))).to.include({ asOf: Date.parse(edits[0]) * 1_000 });
    const none = old('0001-01-01T00:00:00+00:00', '2021-04-01T00:00:00+00:00');
    expect(await inspect(none)).to.include({ asOf: Date.parse('2021-05-01') * 1_000 });
    const told = { ...old(...edits), exportedAt: '2023-01-01T00:00:00+00:00' };
    expect(await inspect(told)).to.include({ asOf: Date.parse('2023-01-01') * 1_000 });
  });

  it('rejects an edit from the future where it would date the file', async () => {
    const messages = [
      anExportMessage(),
      anExportMessage({ timestampEdited: '2099-01-01T00:00:00Z' }),
    ];
    const { exportedAt: _exportedAt, ...old } = anExport({ messages });
    const found = await inspect(old);
    expect(found).to.have.property('reason').that.contains('is more than a year ahead');
    expect(found).to.have.property('at').that.contains('messages[1].timestampEdited');
  });

  it('dates a file in the same way where the year 1 stands for its time', async () => {
    const id = anId('2020-01-01T00:00:00Z');
    const messages = [anExportMessage({ id, timestamp: '2020-01-01T00:00:00Z' })];
    const none = '0001-01-01T00:00:00+00:00';
    const found = await inspect({ ...anExport({ messages }), exportedAt: none });
    expect(found).to.include({ kind: 'thread', asOf: Date.parse('2020-01-01') * 1_000 });
  });

  it('rejects a thread whose id is from the future, which would be the newest for good', async () => {
    const messages = [anExportMessage({ timestamp: '2026-01-01T00:00:00+00:00' })];
    const id = anId('2150-01-01T00:00:00Z');
    const found = await inspect(anExport({ messages, channel: { id } }));
    expect(found).to.include({ kind: 'rejected', at: 'channel.id' });
    expect(found).to.have.property('reason').that.contains('is more than a year ahead');
    const soon = anId(new Date(Date.now() + 86_400_000).toISOString());
    expect((await inspect(anExport({ messages, channel: { id: soon } }))).kind).to.equal('thread');
  });

  it('rejects a forum whose id is from the future, where the file does not tell when it was made', async () => {
    const channel = { id: anId('2150-01-01T00:00:00Z'), type: 'GuildForum', categoryId: null };
    const { exportedAt: _exportedAt, ...old } = anExport({ messages: [], channel });
    const found = await inspect(old);
    expect(found).to.include({ kind: 'rejected', at: 'channel.id' });
    expect(found).to.have.property('reason').that.contains('is more than a year ahead');
  });

  it('takes gzip, a byte-order mark and unknown keys', async () => {
    const text = JSON.stringify({ ...anExport(), later: { any: ['thing'] } });
    expect((await inspect(gzipSync(text))).kind).to.equal('thread');
    expect((await inspect(`\ufeff${text}\n`, 1)).kind).to.equal('thread');
  });

  it('remembers nothing of unknown keys, not even that they occurred', async () => {
    const text = JSON.stringify({ ...anExport({ messages }), later: 1 });
    const twice = text.replace('"later":1', '"later":1,"later":{"any":["thing"]}');
    expect(twice).not.to.equal(text);
    expect(await inspect(twice)).to.deep.equal(await inspect(text));
  });

  it('knows a thread that was started from a message of a text channel', async () => {
    const found = await inspect(
      anExport({ messages: [anExportMessage({ type: '21', content: '' })] }),
    );
    expect(found).to.include({ startedFromMessage: true });
  });

  for (const type of ['DirectTextChat', 'DirectGroupTextChat', 'GuildPrivateThread', 12]) {
    it(`refuses ${type}`, async () => {
      expect((await inspect(anExport({ channel: { type } }))).kind).to.equal('refused');
    });
  }

  it('refuses files that belong to no server', async () => {
    expect((await inspect(anExport({ guild: { id: '0' } }))).kind).to.equal('refused');
  });

  it('refuses private content that stands before its channel', async () => {
    const { messages: list, ...rest } = anExport({ channel: { type: 'GuildPrivateThread' } });
    expect((await inspect({ messages: list, ...rest })).kind).to.equal('refused');
  });

  for (const type of ['GuildTextChat', 'GuildVoiceChat', 'GuildCategory', 'GuildNews', '16']) {
    it(`skips ${type} with a reason`, async () => {
      const found = await inspect(anExport({ channel: { type, categoryId: null } }));
      expect(found.kind).to.equal('skipped');
      expect(found).to.have.property('reason').that.includes('no forum thread');
    });
  }

  it('takes an announcement thread, and a forum that has no messages', async () => {
    expect((await inspect(anExport({ channel: { type: 'GuildNewsThread' } }))).kind).to.equal(
      'thread',
    );
    const forum = anExport({
      channel: { type: 'GuildForum', id: '300000000000000001' },
      messages: [],
    });
    expect((await inspect(forum)).kind).to.equal('forum');
  });

  it('stops reading at a header that is refused', async () => {
    const text = JSON.stringify(anExport({ channel: { type: 'DirectTextChat' } }));
    let chunks = 0;
    const source = (async function* () {
      for await (const chunk of bytesOf(text + ' '.repeat(100_000), 1_000)) {
        chunks += 1;
        yield chunk;
      }
    })();
    await inspectExport(source);
    expect(chunks).to.be.below(5);
  });

  const long = anExportMessage({ content: randomBytes(100_000).toString('base64') });
  for (const [name, head] of [
    ['a source', Buffer.from('{')],
    ['a compressed source', gzipSync(JSON.stringify(anExport({ messages: [long] })))],
  ] as const) {
    it(`passes on an error of ${name}`, async () => {
      const source = (async function* () {
        yield await Promise.resolve(head.subarray(0, 80_000));
        throw new Error('disk gone');
      })();
      const error: unknown = await inspectExport(source).catch((thrown: unknown) => thrown);
      expect(error).to.be.an('error').with.property('message', 'disk gone');
    });
  }
});

describe('inspectExport of a damaged file', () => {
  const good = JSON.stringify(anExport({ messages: [anExportMessage(), anExportMessage()] }));

  async function rejection(value: unknown): Promise<{ reason: string; at?: string }> {
    const found = await inspect(value);
    if (found.kind !== 'rejected') throw new Error(`${found.kind} instead of rejected`);
    return found;
  }

  it('rejects every beginning of a file', async () => {
    for (let length = 0; length < good.length; length += 1) {
      const found = await rejection(good.slice(0, length));
      if (length > 0) expect(found.at).to.match(new RegExp(`^byte ${length}\\b`));
    }
  });

  it('names the byte where the JSON breaks and what was expected', async () => {
    const at = good.indexOf('"isPinned":') + '"isPinned":'.length;
    const broken = `${good.slice(0, at)}nope${good.slice(at + 5)}`;
    expect(await rejection(broken)).to.include({
      reason: 'The JSON is damaged: expected a value',
      at: `byte ${at}`,
    });
  });

  it('names the byte of invalid UTF-8', async () => {
    const bytes = Buffer.from(good);
    const at = bytes.indexOf('Hello') + 2;
    bytes[at] = 0xff;
    expect(await rejection(bytes)).to.include({ at: `byte ${at}` });
  });

  for (const [name, text, reason] of [
    ['an empty file', ' \n', 'The file is empty'],
    ['text after the end', `${good} x`, 'expected the end of the file'],
    ['a key twice', good.replace('"dateRange"', '"guild"'), 'stands twice'],
    ['messages twice', good.replace('"dateRange"', '"messages"'), 'stands twice'],
    ['another root', '[1]', 'expected "{"'],
    ['something else in JSON', '{"hello": "world"}', 'guild, channel, messages missing'],
    ['an empty object', '{}', 'guild, channel, messages missing'],
    ['no messages key', good.replace('"messages":', '"posts":'), 'messages missing'],
    ['messages that are no list', '{"messages": 3}', 'messages must be an array'],
    [
      'a comma too many',
      good.replace('],"messageCount"', ',],"messageCount"'),
      'expected a message',
    ],
    ['a damaged gzip', gzipSync(good).subarray(0, 100), 'compressed data is damaged'],
    ['deep nesting', `{"messages": [${'['.repeat(40)}`, 'nest deeper than 32'],
    ['a huge value', `{"x": "${'y'.repeat(MAX_VALUE_BYTES)}"}`, 'larger than'],
  ] as const) {
    it(`rejects ${name}`, async () => {
      expect((await rejection(text)).reason).to.include(reason);
    });
  }

  for (const [name, bytes, reason] of [
    ['an HTML page', '\ufeff\n<!DOCTYPE html>\n<html lang="en">', 'This is an HTML page'],
    ['a text', `${'='.repeat(62)}\r\nGuild: Community\r\n`, 'This is an export as plain text'],
    ['a table', '\ufeffAuthorID,Author,Date,Content,Attachments,Reactions\n', 'as CSV'],
    ['a ZIP archive', 'PK\x03\x04\x14', 'This is a ZIP archive: unpack it first'],
    ['another compression', Buffer.from('28b52ffd04', 'hex'), 'a form that is not known'],
    ['gzip in gzip', gzipSync(gzipSync(good)), 'compressed twice'],
    [
      'UTF-16 with a mark',
      Buffer.from(`\ufeff${good}`, 'utf16le'),
      'UTF-16: save the file as UTF-8',
    ],
    ['UTF-16 without one', Buffer.from(good, 'utf16le'), 'UTF-16: save the file as UTF-8'],
    ['UTF-16 of the other order', Buffer.from(`\ufeff${good}`, 'utf16le').swap16(), 'UTF-16'],
    ['zero bytes', Buffer.alloc(100), 'The file begins with zero bytes'],
  ] as const) {
    it(`says what it is that it got in place of an export: ${name}`, async () => {
      const found = await rejection(bytes);
      expect(found.reason).to.include(reason);
      expect(found).to.not.have.property('at');
    });
  }

  it('names the message and the path of a wrong value', async () => {
    const message = anExportMessage({ attachments: [{ id: '1', url: 5, fileName: 'a' } as never] });
    expect(await rejection(anExport({ messages: [anExportMessage(), message] }))).to.deep.equal({
      kind: 'rejected',
      reason: 'attachments[0].url must be a string',
      at: `messages[1].attachments[0].url (message ${message.id})`,
    });
  });

  it('tells of a wrong id no part of what stands in its place, which may have any length', async () => {
    const emoji = { id: 'What somebody wrote. '.repeat(1_000), name: 'smile' };
    const reactions = [{ emoji, count: 1 }];
    const found = await inspect(anExport({ messages: [anExportMessage({ reactions })] }));
    expect(found).to.include({
      kind: 'rejected',
      reason: 'reactions[0].emoji.id must be an id of digits',
    });
  });

  it('names the path of a wrong extended value', async () => {
    const found = await rejection(anExport({ channel: { archived: 'yes' as never } }));
    expect(found).to.include({ at: 'channel.archived', reason: 'archived must be a boolean' });
  });

  it('rejects a tag that is neither an id nor a known name', async () => {
    const found = await rejection(anExport({ channel: { appliedTags: ['Solved'] } }));
    expect(found).to.include({ at: 'channel.appliedTags[0]' });
  });

  it('rejects a thread whose parent is not known, and an unknown channel type', async () => {
    const orphan = await rejection(anExport({ channel: { categoryId: null } }));
    expect(orphan.reason).to.include('parent channel is not known');
    const own = await rejection(anExport({ channel: { id: '300000000000000001' } }));
    expect(own).to.include({ at: 'channel.categoryId' });
    expect(own.reason).to.equal('A thread cannot be its own parent channel');
    expect((await rejection(anExport({ channel: { type: 'GuildOpera' } }))).at).to.equal(
      'channel.type',
    );
  });

  it('rejects a text that is no time, and a year that no exporter lives in', async () => {
    for (const timestamp of [
      'yesterday',
      '2026-13-01T00:00:00Z',
      '9999-01-01T00:00:00Z',
      '2026-01-01',
    ]) {
      const found = await rejection(anExport({ messages: [anExportMessage({ timestamp })] }));
      expect(found.at).to.match(/^messages\[0\]\.timestamp/);
      expect(found.reason).to.equal(
        'timestamp must be an ISO 8601 time with an offset, in the years 1 to 2199',
      );
    }
  });

  it('takes any year that a bot has given an embed', async () => {
    const embeds = [{ timestamp: '9999-12-31T23:59:59+00:00' }];
    expect((await inspect(anExport({ messages: [anExportMessage({ embeds })] }))).kind).to.equal(
      'thread',
    );
  });

  it('rejects a message that claims to be newer than its file', async () => {
    const told = (asOf: string) => [
      anExportMessage({ asOf: '2026-01-31T00:00:00Z' }),
      anExportMessage({ asOf }),
    ];
    const { messages, ...rest } = anExport({ messages: told('2026-02-01T12:00:00.123457Z') });
    const at = `messages[1].asOf (message ${messages[1]!.id})`;
    const reason = "asOf must not be later than the file's exportedAt";
    expect(await rejection({ ...rest, messages })).to.deep.include({ reason, at });
    expect(await rejection({ messages, ...rest })).to.deep.include({ reason, at });
    // Without exportedAt, which JSON leaves out, a file is as old as its newest message.
    expect(await rejection({ ...rest, messages, exportedAt: undefined })).to.deep.include({
      reason,
      at,
    });
    const same = anExport({ messages: told('2026-02-01T12:00:00.123456Z') });
    expect(await inspect(same)).to.include({ kind: 'thread' });
    const none = await rejection(anExport({ messages: told('later') }));
    expect(none.at).to.match(/^messages\[1\]\.asOf/);
  });
});

describe('messagesOf', () => {
  it('reads a file of one batch once, and a longer one again in batches', async () => {
    for (const [count, openings] of [
      [0, 0],
      [500, 0],
      [501, 1],
    ] as const) {
      const messages = Array.from({ length: count }, () => anExportMessage());
      const root = anExport({ messages });
      const file = await inspectExport(bytesOf(root));
      if ('reason' in file) throw new Error(file.reason);
      let opened = 0;
      const ids: string[] = [];
      const reopen = () => {
        opened += 1;
        return bytesOf(root);
      };
      for await (const batch of messagesOf(file, reopen)) ids.push(...batch.map(({ id }) => id));
      expect(ids, String(count)).to.deep.equal(messages.map(({ id }) => id));
      expect(opened, `${count} messages`).to.equal(openings);
    }
  });

  it('holds no more than a batch of bytes in memory', async () => {
    const content = 'x'.repeat(60_000);
    const messages = Array.from({ length: 20 }, () => anExportMessage({ content }));
    expect(await inspectExport(bytesOf(anExport({ messages })))).to.have.property('batch', null);
  });

  it('takes a file that is larger than a single value may be', async () => {
    const content = 'x'.repeat(60_000);
    const messages = Array.from({ length: 80 }, () => anExportMessage({ content }));
    expect(await inspectExport(bytesOf(anExport({ messages })))).to.include({ messages: 80 });
  });
});

describe('readMessages', () => {
  it('gives every message in the order of the file, in batches', async () => {
    const messages = Array.from({ length: 1_200 }, () => anExportMessage());
    expect(await idsOf(anExport({ messages }))).to.deep.equal(messages.map(({ id }) => id));
    const sizes: number[] = [];
    for await (const batch of readMessages(bytesOf(anExport({ messages }))))
      sizes.push(batch.length);
    expect(sizes).to.deep.equal([500, 500, 200]);
  });

  it('throws an ExportError at damage', async () => {
    const error: unknown = await idsOf('{"messages": [{}]}').catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(ExportError).with.property('at', 'messages[0].id');
  });
});
