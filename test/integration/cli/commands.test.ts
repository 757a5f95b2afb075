import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createProducer } from '../../../shared/jobs/producer.js';
import { inspectExport } from '../../../shared/exportFormat/readExport.js';
import { readSettings } from '../../../shared/platform/env.js';
import { openUpload } from '../../../shared/store/uploads.js';
import { until } from '../../support/apiServer.js';
import { anExport, anExportMessage, bytesOf } from '../../support/exportFiles.js';
import { aChannel, aMessage, aServer, aThread } from '../../support/factories.js';
import { runCli } from '../../support/runCli.js';
import { runOnHost } from '../../support/runOnHost.js';
import { suiteStores } from '../../support/suiteStores.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

describe('the command line', () => {
  const stores = suiteStores('kept', { otherProcesses: true });
  afterEach(async () => {
    const { importFiles, imports, pieces } = stores.mongo.collections;
    await Promise.all([importFiles, imports, pieces].map((kept) => kept.deleteMany({})));
  });

  const run = (args: readonly string[], more: Record<string, string> = {}) =>
    runCli({ MONGODB_URL: stores.mongodbUrl, ...more }, args);
  const runHosted = (args: readonly string[], more: Record<string, string> = {}) =>
    runOnHost({ MONGODB_URL: stores.mongodbUrl, ...more }, args);

  const importIn = (files: Record<string, unknown>, ...flags: string[]) =>
    withTemporaryFolder(async (folder) => {
      for (const [name, content] of Object.entries(files)) {
        const text = typeof content === 'string' ? content : JSON.stringify(content);
        await writeFile(join(folder, name), text);
      }
      return runHosted(['import', folder, '--no-wait', ...flags]);
    });

  it('stores and queues valid files, and reports what became of the others', async () => {
    const good = anExport();
    const { code, stdout } = await importIn(
      {
        'good.json': good,
        'talk.json': anExport({ channel: { type: 'GuildTextChat' } }),
        'cut.json': JSON.stringify(anExport()).slice(0, 200),
        'notes.txt': 'hello',
      },
      '--json',
    );
    expect(code).to.equal(1);
    const summary = JSON.parse(stdout) as Record<string, unknown> & { rejected: { at: string }[] };
    expect(summary).to.deep.include({ queued: 1, ignored: 1, refused: [] });
    expect(summary['skipped']).to.have.length(1);
    expect(summary.rejected[0]?.at).to.include('byte 200');

    const [file] = await stores.mongo.collections.importFiles.find().toArray();
    expect(file).to.include({ state: 'queued', importId: summary['importId'] });
    const stored = await inspectExport(openUpload(stores.mongo.collections, file!._id));
    expect(stored).to.deep.include({ kind: 'thread', messages: good.messages.length });
    const record = await stores.mongo.collections.imports.findOne();
    expect(record).to.include({ _id: summary['importId'], files: 1 });
    const { REDIS_URL } = readSettings();
    const producer = createProducer({
      redisUrl: REDIS_URL,
      namespace: stores.mongo.namespace,
      timeoutMs: 120_000,
    });
    expect(await producer.counts()).to.include({ waiting: 1 });
    await producer.close();
  });

  it('stores nothing of a private file', async () => {
    const secret = 'unsayable-words';
    const message = anExportMessage({ content: secret });
    const { code, stdout } = await importIn({
      'dm.json': anExport({ guild: { id: '0' }, messages: [message] }),
      'thread.json': anExport({ channel: { type: 'GuildPrivateThread' }, messages: [message] }),
    });
    expect(code).to.equal(1);
    expect(stdout).to.match(/Refused: 2 files/);
    const { importFiles, pieces } = stores.mongo.collections;
    expect(await importFiles.countDocuments()).to.equal(0);
    expect(await pieces.countDocuments()).to.equal(0);
  });

  it('rejects a file that is no JSON where it is named', () =>
    withTemporaryFolder(async (folder) => {
      const path = join(folder, 'notes.txt');
      await writeFile(path, 'hello');
      const { code, stdout } = await runHosted(['import', path, '--no-wait']);
      expect(code).to.equal(1);
      expect(stdout).to.match(/Rejected: 1 file/);
    }));

  it('waits until the files have their outcomes, and tells when nobody works on them', () =>
    withTemporaryFolder(async (folder) => {
      await writeFile(join(folder, 'a.json'), JSON.stringify(anExport()));
      await writeFile(join(folder, 'b.json'), JSON.stringify(anExport()));
      const waiting = run(['import', folder]);
      const { importFiles } = stores.mongo.collections;
      await until(async () => (await importFiles.countDocuments({ state: 'queued' })) === 2);
      const files = await importFiles.find().sort({ name: 1 }).toArray();
      const done = { state: 'imported', threadId: '1', messages: 7 } as const;
      await importFiles.updateOne({ _id: files[0]!._id }, { $set: done });
      const damaged = { state: 'rejected', reason: 'It contradicts what is known' } as const;
      await importFiles.updateOne({ _id: files[1]!._id }, { $set: damaged });
      const { code, stdout, stderr } = await waiting;
      expect(code).to.equal(1);
      expect(stdout).to.include('Imported 1 file: 1 thread, 7 messages');
      expect(stdout).to.include('b.json: It contradicts what is known');
      expect(stderr).to.satisfy(
        (text: string) => /^Archive: .*\n$/.test(text) || text.includes('No indexer'),
      );
    }));

  it('exports what is not deleted, in files named by ids alone', () =>
    withTemporaryFolder(async (folder) => {
      const { servers, channels, threads, messages } = stores.mongo.collections;
      const server = aServer();
      const [channel, lonely] = [0, 1].map(() => aChannel({ serverId: server._id }));
      const places = { serverId: server._id, channelId: channel!._id };
      const [kept, gone] = [aThread(places), aThread({ ...places, deleted: true })];
      const deleted = aChannel({ serverId: server._id, name: '', deleted: true });
      const going = aThread({ serverId: server._id, channelId: deleted._id });
      await servers.insertOne(server);
      await channels.insertMany([channel!, lonely!, deleted]);
      await threads.insertMany([kept, gone, going]);
      const said = aMessage({ threadId: kept._id });
      await messages.insertMany([said, aMessage({ threadId: kept._id, deleted: true })]);

      const target = join(folder, 'new', 'archive');
      const { code, stdout } = await runHosted(['export', target, '--json']);
      expect(code).to.equal(0);
      expect(JSON.parse(stdout)).to.include({ threads: 1, messages: 1, forums: 1 });
      const names = await readdir(target, { recursive: true });
      expect(names.filter((name) => name.includes('.')).sort()).to.deep.equal(
        [
          join(server._id, channel!._id, `${kept._id}.json`),
          join(server._id, lonely!._id, 'forum.json'),
        ].sort(),
      );
      const text = await readFile(join(target, server._id, channel!._id, `${kept._id}.json`));
      expect(await inspectExport(bytesOf(text))).to.deep.include({ kind: 'thread', messages: 1 });
      expect(text.toString()).to.include(said._id);
    }));

  it('exports into a folder with content only when forced', () =>
    withTemporaryFolder(async (folder) => {
      await mkdir(join(folder, 'mine'));
      const refused = await runHosted(['export', folder]);
      expect(refused.code).to.equal(1);
      expect(refused.stderr).to.match(/^Error: .* is not empty: .*\n$/m);
      expect((await runHosted(['export', folder, '--force'])).code).to.equal(0);
    }));

  for (const command of ['export', 'backup'])
    it(`says in words why it cannot ${command} into a file`, () =>
      withTemporaryFolder(async (folder) => {
        const path = join(folder, 'mine.txt');
        await writeFile(path, 'mine');
        for (const [target, reason] of [
          [path, 'there is a file of that name, not a folder'],
          [join(path, 'within'), 'a part of its path is a file, not a folder'],
          ['/proc/within', 'there is no such file or folder'],
        ] as const) {
          const { code, stderr } = await runHosted([command, target]);
          expect(code).to.equal(1);
          expect(stderr).to.satisfy((text: string) =>
            text.endsWith(`\nError: ${target} cannot be written: ${reason}\n`),
          );
        }
        expect(await readFile(path, 'utf8')).to.equal('mine');
      }));

  it('shows the status, with the number of threads at the top', async () => {
    const { code, stdout } = await runHosted(['status', '--json']);
    expect(code).to.equal(0);
    const stores = { mongodb: 'ok', elasticsearch: 'ok', redis: 'ok' };
    expect(JSON.parse(stdout)).to.deep.include({ threads: 0, quarantined: 0, indexers: 0, stores });
  });

  it('names the store that is away, and fails', async () => {
    const away = { REDIS_URL: 'redis://127.0.0.1:1', ELASTICSEARCH_URL: 'http://127.0.0.1:1' };
    const { code, stdout } = await runHosted(['status', '--json'], away);
    expect(code).to.equal(1);
    const status = JSON.parse(stdout) as { stores: Record<string, string> };
    expect(status.stores['mongodb']).to.equal('ok');
    expect(status.stores['redis']).to.include('cannot be reached');
    expect(status.stores['elasticsearch']).to.include('cannot be reached');
    const imported = await runHosted(['import', 'package.json'], away);
    expect(imported.code).to.equal(1);
    expect(imported.stderr).to.match(/^Error: Redis cannot be reached: .*\n$/m);
  });

  it('ends with 2 after a usage error, with 1 after a wrong setting', async () => {
    for (const args of [[], ['delete', 'thread', 'abc']]) {
      expect((await run(args)).code, args.join(' ')).to.equal(2);
    }
    const { stdout, code: shown } = await run(['--version']);
    expect([shown, stdout]).to.deep.equal([0, '1.0.0\n']);
    const { code, stderr } = await run(['status'], { PORT: 'x' });
    expect(code).to.equal(1);
    expect(stderr).to.include('PORT');
  });
});
