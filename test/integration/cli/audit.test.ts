import { mkdir, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { auditPageSchema } from '../../../shared/contract/admin.js';
import type { AuditEntry } from '../../../shared/store/audit.js';
import { erasureIdOf } from '../../../shared/store/erasures.js';
import { ensureSearchIndex } from '../../../shared/store/searchIndex.js';
import { until } from '../../support/apiServer.js';
import { startAuth, type AuthServer } from '../../support/authServer.js';
import { anExport } from '../../support/exportFiles.js';
import { anId, aThread } from '../../support/factories.js';
import { runOnHost } from '../../support/runOnHost.js';
import { removeSearchAndKeys } from '../../support/stores.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

describe('the audit trail of the command line', () => {
  let api: AuthServer;
  before(async () => {
    api = await startAuth();
    await ensureSearchIndex(api.stores.elasticsearch, api.stores.mongo.namespace);
  });
  after(async () => {
    await removeSearchAndKeys(api.stores);
    await api.close();
  });

  const run = async (code: number, ...args: string[]) => {
    const result = await runOnHost({ MONGODB_URL: api.stores.mongodbUrl }, args);
    expect(result.code, `${args.join(' ')}: ${result.stderr}`).to.equal(code);
    return result;
  };
  /** The audit trail as the API tells it, by operation. */
  const trail = async (): Promise<Map<string, AuditEntry>> => {
    const reply = await api.get('/admin/audit?limit=100', { 'X-API-Key': await api.key('admin') });
    expect(auditPageSchema.validate(reply.json()).error).to.equal(undefined);
    const { entries } = reply.json() as { entries: AuditEntry[] };
    return new Map(entries.map((entry) => [entry.operation, entry]));
  };

  it('records who did what, and how it ended, without secrets', async () => {
    const { collections } = api.stores.mongo;
    const [thread, userId, unknown] = [aThread(), anId(), anId()];
    await collections.threads.insertOne(thread);
    const [made] = await Promise.all([
      run(0, 'keys', 'create', '--level', 'read', '--name', 'bot'),
      run(0, 'delete', 'thread', thread._id, '--no-wait'),
      run(1, 'delete', 'server', unknown),
      run(0, 'erase-user', userId, '--no-wait', '--even-if-unknown'),
      run(0, 'reindex', '--views', '--no-wait'),
    ]);
    const [key = ''] = made.stdout.split('\n');
    await run(0, 'keys', 'revoke', key);

    const entries = await trail();
    const told = (operation: string) => {
      const { caller, params, outcome, status } = entries.get(operation)!;
      expect(caller).to.deep.equal({ kind: 'cli', id: userInfo().username });
      expect(status).to.equal(undefined);
      return [outcome, params];
    };
    expect(told('createKey')).to.deep.equal(['done', { name: 'bot', level: 'read' }]);
    expect(told('revokeKey')).to.deep.equal(['done', { keyId: key.split('_')[1] }]);
    expect(told('deleteThread')).to.deep.equal(['done', { threadId: thread._id }]);
    expect(entries.get('deleteThread')?.jobId).to.match(/^delete-thread-/);
    expect(told('deleteServer')).to.deep.equal(['failed', { serverId: unknown }]);
    const erasureId = await erasureIdOf(collections, userId);
    expect(told('eraseUser')).to.deep.equal(['done', { erasureId }]);
    expect(told('reindex')).to.deep.equal(['done', { target: 'views' }]);
    const everything = JSON.stringify(await collections.audit.find().toArray());
    expect(everything).to.not.contain(key.split('_')[2]).and.not.contain(userId);
  });

  it('records the folders of an import, and no titles, before the import has ended', () =>
    withTemporaryFolder(async (folder) => {
      const exports = join(folder, 'exports.2026');
      await mkdir(exports);
      const files = ['Server - help - A title [1].json', 'Server - help - Another title [2]'];
      const paths = files.map((file) => join(folder, file));
      for (const path of [...paths, join(exports, '3.json')])
        await writeFile(path, JSON.stringify(anExport()));
      const args = ['import', ...paths, exports];
      const waiting = runOnHost({ MONGODB_URL: api.stores.mongodbUrl }, args);
      const { importFiles, imports } = api.stores.mongo.collections;
      await until(async () => (await importFiles.countDocuments({ state: 'queued' })) === 3);
      expect((await trail()).get('importExport')).to.include({ outcome: 'started' });
      await importFiles.updateMany({}, { $set: { state: 'imported', messages: 1 } });
      expect((await waiting).code).to.equal(0);
      expect((await trail()).get('importExport')).to.deep.include({
        params: { paths: [folder, exports], pathCount: 3 },
        outcome: 'done',
        jobId: `imports-${(await imports.findOne())!._id}`,
      });
    }));
});
