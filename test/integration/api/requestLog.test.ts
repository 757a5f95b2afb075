import { expect } from 'chai';
import { ADMIN_ID, bearer, startAuth, USER_ID } from '../../support/authServer.js';
import { until } from '../../support/apiServer.js';

/** What was logged about each request: route, caller and, if it is there, the address. */
async function logged(env: Record<string, string>): Promise<unknown[]> {
  const api = await startAuth({ RATE_LIMIT_DISABLED: 'false', TRUST_PROXY: '1', ...env });
  const key = await api.key('write');
  const token = (await api.logIn(ADMIN_ID)).access_token;
  const from = { 'X-Forwarded-For': '2001:db8::7' };
  const before = api.log.length;
  for (const [path, headers] of [
    ['/api/servers', {}],
    ['/api/servers', { 'X-API-Key': key }],
    ['/admin/jobs', { 'X-API-Key': key }],
    ['/admin/keys', { 'X-API-Key': key }],
    ['/admin/keys', { 'X-API-Key': 'wrong' }],
    ['/api/me', bearer(token)],
    ['/api/me', bearer(api.platform.newToken(USER_ID))],
  ] as const) {
    await api.get(path, { ...from, ...headers });
  }
  const lines = () => api.log.slice(before).filter(({ msg }) => msg === 'Request');
  try {
    await until(() => lines().length >= 7);
  } finally {
    await api.close();
  }
  return lines().map(({ route, caller, address }) => [
    route,
    JSON.stringify(caller).replace(key.split('_')[1]!, 'the key'),
    address,
  ]);
}

const KEY = '{"kind":"key","id":"the key"}';
const LINES = [
  ['/api/servers', 'null'],
  ['/api/servers', KEY],
  ['/admin/jobs', KEY],
  ['/admin/keys', KEY],
  ['/admin/keys', 'null'],
  ['/api/me', `{"kind":"jwt","id":"${ADMIN_ID}"}`],
  ['/api/me', `{"kind":"platform","id":"${USER_ID}"}`],
];

describe('the log of requests', () => {
  it('names the key or user that asked, and no address', async () => {
    expect(await logged({})).to.deep.equal(LINES.map((line) => [...line, undefined]));
  });

  it('holds the address that a client is counted by, where LOG_ADDRESSES says so', async () => {
    const lines = await logged({ LOG_ADDRESSES: 'true' });
    expect(lines).to.deep.equal(LINES.map((line) => [...line, '2001:db8:0:0::/64']));
  });
});
