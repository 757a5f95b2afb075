import { expect } from 'chai';
import type { AdminJob, QueuedJob } from '../../../shared/contract/admin.js';
import { until } from '../../support/apiServer.js';
import { startArchive, type TestArchive } from '../../support/archive.js';
import { anExport } from '../../support/exportFiles.js';

describe('administration, end to end', () => {
  let archive: TestArchive;
  before(async () => {
    archive = await startArchive({ env: { DISABLE_AUTH: 'true' } });
  });
  after(() => archive.close());

  const finished = async (path: string): Promise<AdminJob> => {
    let job = await archive.json<AdminJob>(path);
    await until(async () => {
      job = await archive.json<AdminJob>(path);
      return job.state === 'done' || job.state === 'failed';
    });
    return job;
  };
  const upload = async (root: object): Promise<AdminJob> => {
    const type = { 'Content-Type': 'application/json' };
    const reply = await archive.api.send('POST', '/admin/import', type, root);
    expect(reply.status, reply.body.toString()).to.equal(202);
    return finished((reply.json() as QueuedJob).statusUrl);
  };

  it('makes the audit trail expire even in a database that was created while the indexer runs', async () => {
    const { audit } = archive.api.stores.mongo.collections;
    const isMade = () => audit.indexExists('at').catch(() => false);
    await until(isMade);
  });

  it('imports, deletes by HTTP and by the command line, and imports nothing of it again', async () => {
    const [byHttp, byCli] = [anExport(), anExport()];
    for (const root of [byHttp, byCli]) {
      expect((await upload(root)).counts).to.include({ imported: 1, messages: 1 });
    }
    const path = `/admin/threads/${byHttp.channel.id}`;
    const { statusUrl } = (await archive.api.send('DELETE', path)).json() as QueuedJob;
    expect(await finished(statusUrl)).to.include({ state: 'done', progress: 1, error: null });
    const run = await archive.cli('delete', 'thread', byCli.channel.id);
    expect(run, JSON.stringify(run)).to.include({ code: 0 });
    for (const { channel } of [byHttp, byCli]) {
      expect((await archive.api.get(`/api/threads/${channel.id}`)).status).to.equal(404);
    }
    const rebuilt = await archive.cli('reindex', '--views', '--json');
    expect(rebuilt, rebuilt.stderr).to.include({ code: 0 });
    expect(JSON.parse(rebuilt.stdout)).to.include({ state: 'done', threads: 2 });
    expect((await archive.cli('reindex')).stderr).to.include('--search or --views');
    expect((await upload(byHttp)).counts).to.include({ unchanged: 1 });
    expect((await archive.api.get(`/api/threads/${byHttp.channel.id}`)).status).to.equal(404);
  });
});
