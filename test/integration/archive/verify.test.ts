import { expect } from 'chai';
import type { VerifyReport } from '../../../shared/contract/verify.js';
import { startArchive, type TestArchive } from '../../support/archive.js';

describe('forum-archive verify', () => {
  let archive: TestArchive;

  before(async () => {
    archive = await startArchive();
  });
  after(() => archive.close());

  const collections = () => archive.api.stores.mongo.collections;

  it('reports no work in progress as a difference', async () => {
    expect((await archive.cli('import', 'sample', '--no-wait')).code).to.equal(0);
    const { code, stdout } = await archive.cli('verify', '--json');
    const report = JSON.parse(stdout) as VerifyReport;
    expect(report.differences).to.deep.equal([]);
    expect([report.clean, code]).to.deep.equal([true, 0]);
  });

  it('finds nothing when the archive is at rest', async () => {
    expect((await archive.cli('import', 'sample')).code).to.equal(0);
    const { code, stdout, stderr } = await archive.cli('verify');
    expect(stdout).to.match(/^Compared 87 threads, 726 messages, .*: all is as recorded\n$/);
    expect(code).to.equal(0);
    expect(stderr).to.match(/^Archive: /);
  });

  it('fails when something differs, mends it on request, and tells so', async () => {
    const { bodies, ranks } = collections();
    const body = await bodies.findOne({ _id: /^thread\// });
    await bodies.deleteOne({ _id: body!._id });
    const line = await ranks.findOne({});
    await ranks.updateOne({ _id: line!._id }, { $inc: { count: 1 } });

    const found = await archive.cli('verify');
    expect(found.code).to.equal(1);
    expect(found.stdout).to.match(/: 2 differences, 0 mended\n/);
    expect(found.stdout).to.include('thread.wrong (1 left): a thread cannot be opened');
    expect(found.stdout).to.match(/left: person\.wrong \d+: Line /);

    const mended = await archive.cli('verify', '--repair', '--json');
    const { clean, repaired, differences } = JSON.parse(mended.stdout) as VerifyReport;
    expect([mended.code, clean]).to.deep.equal([0, true]);
    expect(repaired).to.be.at.least(1);
    expect(differences.map(({ kind }) => kind)).to.include('thread.wrong');
    expect((await archive.cli('verify')).code).to.equal(0);
    expect(await archive.json(`/api/threads/${body!._id.slice('thread/'.length)}`)).to.be.an(
      'object',
    );
  });
});
