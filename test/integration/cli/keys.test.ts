import { expect } from 'chai';
import { createApiKeyChecker } from '../../../services/api/auth/apiKeyChecker.js';
import { apiKeySchema, type ApiKey } from '../../../shared/contract/auth.js';
import { openApiStores, type ApiStores } from '../../support/apiStores.js';
import { runCli } from '../../support/runCli.js';
import { runOnHost } from '../../support/runOnHost.js';

describe('keys on the command line', () => {
  let stores: ApiStores;
  before(async () => {
    stores = await openApiStores();
  });
  after(() => stores.close());

  const keys = (...args: string[]) =>
    runOnHost({ MONGODB_URL: stores.mongodbUrl }, ['keys', ...args]);

  it('are made, listed and revoked', async () => {
    const create = ['keys', 'create', '--level', 'write', '--name', 'bot\u001b[31m\u009b'];
    const made = await runCli({ MONGODB_URL: stores.mongodbUrl }, create);
    expect(made.code, made.stderr).to.equal(0);
    const [key = ''] = made.stdout.split('\n');
    const check = createApiKeyChecker(stores.mongo.collections);
    expect(await check(key)).to.deep.include({ kind: 'key', scopes: ['read', 'write'] });
    const listed = await keys('list', '--json');
    const [first] = (JSON.parse(listed.stdout) as { keys: ApiKey[] }).keys;
    expect(apiKeySchema.validate(first).error).to.equal(undefined);
    const { id = '', level } = first ?? {};
    expect(listed.stdout)
      .to.contain('bot\\u001b[31m\\u009b"')
      .and.not.match(/[\u001b\u009b]/);
    expect([id, level]).to.deep.equal([key.split('_')[1], 'write']);
    expect(listed.stdout).not.to.contain(key.split('_')[2]);
    const shown = await keys('list');
    expect(shown.stdout).to.match(
      /^\w{16} {2}write {2}works {2}used .* {2}bot\\u\{001b\}\[31m\\u\{009b\}\n$/,
    );
    expect((await keys('revoke', id)).code).to.equal(0);
    const fresh = createApiKeyChecker(stores.mongo.collections);
    const error: unknown = await fresh(key).catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'FORBIDDEN' });
    expect((await keys('list')).stdout).to.contain('revoked');
  });

  it('take a name of 100 characters, of which an emoji is one', async () => {
    const { code, stdout } = await keys('create', '--level', 'read', '--name', '😀'.repeat(100));
    expect(code).to.equal(0);
    expect(stdout).to.match(/^fa_/);
  });

  it('fail with the reason, and make nothing', async () => {
    const cases: [string[], number, RegExp][] = [
      [['create', '--level', 'read', '--name', ' '], 2, /--name .* 1 to 100 characters/],
      [['create', '--level', 'read', '--name', '😀'.repeat(101)], 2, /1 to 100 characters/],
      [
        ['create', '--level', 'read', '--name', 'x', '--expires', '2999-01-01'],
        2,
        /at most 10 years/,
      ],
      [['revoke', 'nothing'], 1, /no key with the id nothing/],
    ];
    const { apiKeys } = stores.mongo.collections;
    const before = await apiKeys.countDocuments();
    for (const [args, code, message] of cases) {
      const result = await keys(...args);
      expect([result.code, result.stdout], args.join(' ')).to.deep.equal([code, '']);
      expect(result.stderr).to.match(message);
    }
    expect(await apiKeys.countDocuments()).to.equal(before);
  });
});
