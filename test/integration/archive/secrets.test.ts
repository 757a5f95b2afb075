import { expect } from 'chai';
import { createApiKey } from '../../../shared/store/apiKeys.js';
import { readSettings } from '../../../shared/platform/env.js';
import { until } from '../../support/apiServer.js';
import { ADMIN_ID, aToken, JWT_SECRET, storeLogin } from '../../support/authServer.js';
import { everyTrace } from '../../support/everyTrace.js';
import { runCli } from '../../support/runCli.js';
import { freePort } from '../../../services/local/ports.js';
import { startProcess, type ServiceProcess } from '../../support/serviceProcess.js';
import { suiteStores } from '../../support/suiteStores.js';

const SECRETS: Record<string, string> = {
  'password of MongoDB': 'planted-mongodb-password-11',
  'password of Redis': 'planted-redis-password-22',
  'password of Elasticsearch': 'planted-elasticsearch-password-33',
  'client secret': 'planted-client-secret-44',
  'bot token': 'planted-bot-token-55',
  'JWT secret': JWT_SECRET,
  'metrics token': 'planted-metrics-token-66-of-32-characters',
  'secret key of the bucket': 'planted-bucket-secret-77',
};
const NOWHERE = '127.0.0.1:1';
const UNKNOWN = { username: 'planted' };
const KNOWN = { username: 'test_secrets' };

/** An address with a password, and with another user and host where these are given. */
function withPassword(
  address: string,
  secret: string,
  { username = '', host = new URL(address).host } = {},
): string {
  const url = new URL(address);
  Object.assign(url, { username, host, password: SECRETS[secret] });
  return url.href;
}

describe('secrets of the settings', () => {
  const stores = suiteStores('kept', { otherProcesses: true });
  /** All texts that were printed, logged and answered, with where. */
  const seen: [where: string, text: string][] = [];

  before(async () => {
    const { key } = await createApiKey(stores.mongo.collections, {
      name: 'planted',
      level: 'admin',
      expiresAt: null,
    });
    SECRETS['API key'] = key;
    const sid = await storeLogin(stores.mongo.collections, ADMIN_ID);
    SECRETS['service token'] = aToken({ sub: ADMIN_ID, sid, scope: ['read', 'write', 'admin'] });
    const password = `>${SECRETS['password of Redis']}`;
    await stores.redis.acl('SETUSER', KNOWN.username, 'reset', 'on', password, '~*', '&*', '+@all');
    await watchServices('with passwords that are taken', environment(), 200);
    await watchServices('with passwords that are refused', refusing(), 503);
    await watchCommands();
    await stores.redis.acl('DELUSER', KNOWN.username);
  });

  /** Redis has a user with the planted password. Elasticsearch asks for no password, so it accepts any. */
  function environment(): Record<string, string> {
    const { ELASTICSEARCH_URL, REDIS_URL } = readSettings();
    return {
      JWT_SECRET,
      ADMIN_USER_IDS: ADMIN_ID,
      PORT: '0',
      LOG_LEVEL: 'trace',
      MONGODB_URL: stores.mongodbUrl,
      REDIS_URL: withPassword(REDIS_URL, 'password of Redis', KNOWN),
      ELASTICSEARCH_URL: withPassword(ELASTICSEARCH_URL, 'password of Elasticsearch', UNKNOWN),
      DISCORD_CLIENT_ID: '1',
      DISCORD_REDIRECT_URI: 'https://planted.example/back',
      DISCORD_CLIENT_SECRET: SECRETS['client secret']!,
      DISCORD_BOT_TOKEN: SECRETS['bot token']!,
      METRICS_TOKEN: SECRETS['metrics token']!,
      MIRROR_S3_BUCKET: 'planted',
      MIRROR_S3_ENDPOINT: `http://${NOWHERE}`,
      MIRROR_S3_ACCESS_KEY: 'planted',
      MIRROR_S3_SECRET_KEY: SECRETS['secret key of the bucket']!,
    };
  }

  /** MongoDB and Redis refuse users whom they do not know. Nothing listens at the address of Elasticsearch. */
  function refusing(): Record<string, string> {
    const { ELASTICSEARCH_URL, REDIS_URL } = readSettings();
    const nowhere = { ...UNKNOWN, host: NOWHERE };
    return {
      ...environment(),
      MONGODB_URL: withPassword(stores.mongodbUrl, 'password of MongoDB', UNKNOWN),
      REDIS_URL: withPassword(REDIS_URL, 'password of Redis', UNKNOWN),
      ELASTICSEARCH_URL: withPassword(ELASTICSEARCH_URL, 'password of Elasticsearch', nowhere),
    };
  }

  async function watchServices(
    name: string,
    env: Record<string, string>,
    status: number,
  ): Promise<void> {
    const metricsPort = await freePort();
    const api = startProcess('api', env);
    const indexer = startProcess('indexer', { ...env, METRICS_PORT: String(metricsPort) });
    const { url } = (await api.logged('Listening')) as { url: string };
    await until(async () => (await fetch(`${url}/readyz`)).status === status);
    await until(() => indexer.log.length > 0);
    await askEverything(name, url);
    // An indexer that was never ready serves no metrics.
    if (status === 200) {
      const metrics = await fetchWhenThere(`http://127.0.0.1:${metricsPort}/metrics`);
      seen.push([`the metrics of the indexer ${name}`, metrics]);
    }
    for (const [of, service] of [
      ['the API', api],
      ['the indexer', indexer],
    ] as [string, ServiceProcess][]) {
      service.kill('SIGTERM');
      await service.exited;
      expect(service.log, `${of} ${name}`).to.not.have.length(0);
      seen.push([`the log of ${of} ${name}`, service.output()]);
    }
  }

  /** Asks until the server listens. */
  async function fetchWhenThere(url: string): Promise<string> {
    let text = '';
    await until(async () => {
      const reply = await fetch(url).catch(() => null);
      text = (await reply?.text()) ?? '';
      return text !== '';
    });
    return text;
  }

  async function askEverything(name: string, url: string): Promise<void> {
    const key = { 'X-API-Key': SECRETS['API key']! };
    const token = { Authorization: `Bearer ${SECRETS['service token']}` };
    for (const [method, path, headers] of [
      ['GET', '/metrics', { Authorization: `Bearer ${SECRETS['metrics token']}` }],
      ...['/readyz', '/metrics', '/api/threads', '/api/search?q=x'].map((it) => ['GET', it, {}]),
      ...['/admin/stats', '/admin/audit', '/admin/keys', '/admin/jobs', '/api/me'].flatMap((it) => [
        ['GET', it, key],
        ['GET', it, token],
      ]),
      ['GET', '/admin/queues/api/redis/stats', key],
      ['DELETE', `/admin/keys/${SECRETS['API key']}`, token],
      ['DELETE', `/admin/threads/${SECRETS['service token']}`, key],
      ['POST', '/admin/reindex', key, '{"target":"views"}'],
    ] as [string, string, Record<string, string>, string?][]) {
      const json = { 'Content-Type': 'application/json' };
      const body = path === '/admin/reindex' ? { body: '{"target":"views"}' } : {};
      const reply = await fetch(url + path, { method, headers: { ...json, ...headers }, ...body });
      seen.push([`the answer of ${path} ${name}`, JSON.stringify([...reply.headers])]);
      seen.push([`the answer of ${path} ${name}`, await reply.text()]);
    }
  }

  async function watchCommands(): Promise<void> {
    const wrong = {
      JWT_SECRET: JWT_SECRET.slice(0, 20),
      REDIS_URL: `${SECRETS['password of Redis']}`,
      MONGODB_URL: `http://planted:${SECRETS['password of MongoDB']}@host`,
    };
    const MONGODB_URL = stores.mongodbUrl;
    const commands: [Record<string, string>, string[]][] = [
      [environment(), ['status']],
      [environment(), ['keys', 'revoke', SECRETS['API key']!]],
      [refusing(), ['keys', 'list']],
      [{ ...refusing(), MONGODB_URL }, ['status']],
      [{ ...refusing(), MONGODB_URL }, ['import', 'package.json']],
      [wrong, ['status']],
    ];
    await Promise.all(
      commands.map(async ([env, args]) => {
        const { stdout, stderr } = await runCli(env, args);
        expect(stdout + stderr, args.join(' ')).to.not.equal('');
        seen.push([`the output of ${args.join(' ')}`, stdout + stderr]);
      }),
    );
  }

  const expectNone = (where: string, text: string): void => {
    for (const [name, secret] of Object.entries(SECRETS)) {
      const forms = [secret, secret.slice(-12), encodeURIComponent(secret)];
      const basic = Buffer.from(`planted:${secret}`).toString('base64');
      for (const form of [...forms, basic]) {
        expect(text.includes(form), `${name} in ${where}`).to.equal(false);
      }
    }
  };

  it('are in no line of a log, no answer and no output of a command', () => {
    expect(seen).to.have.length.above(60);
    const all = seen.map(([, text]) => text).join('\n');
    for (const told of [
      'forum_archive_store_up',
      'FORBIDDEN',
      'UNAVAILABLE',
      'WRONGPASS',
      'Authentication failed',
    ]) {
      expect(all).to.include(told);
    }
    for (const [where, text] of seen) expectNone(where, text);
  });

  it('are in no collection, search document, job or Redis key', async () => {
    const traces = await everyTrace(stores);
    expect(traces.join('\n')).to.include('reindex-views').and.include('(secret)');
    for (const text of traces) expectNone(text.slice(0, 60), text);
  });
});
