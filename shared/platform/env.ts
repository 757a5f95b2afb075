import Joi from 'joi';

/** The checked settings of a process. Defaults stand in the schema; README lists them. */
export interface Settings {
  HOST: string;
  PORT: number;
  MONGODB_URL: string;
  ELASTICSEARCH_URL: string;
  REDIS_URL: string;
  CACHE_REDIS_URL?: string;
  CORS_ORIGINS: string;
  LOG_LEVEL: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
  DATA_DIR: string;
  RESOLVED_TAGS: string;
  TRUST_PROXY: boolean;
  DISABLE_AUTH: boolean;
  CACHE_MEGABYTES: number;
  INDEXER_CONCURRENCY: number;
  NODE_ENV?: string;
}

const url = (scheme: string[]) => Joi.string().uri({ scheme });

/** Settings of the environment, by variable name. */
export const settingsSchema = Joi.object<Settings, true>({
  HOST: Joi.string().hostname().default('127.0.0.1').description('Address the API listens on'),
  PORT: Joi.number().port().default(3000).description('Port the API listens on'),
  MONGODB_URL: url(['mongodb', 'mongodb+srv'])
    .default('mongodb://127.0.0.1:27017/forum-archive?replicaSet=rs0')
    .description('MongoDB replica set; the path names the database (default forum-archive)'),
  ELASTICSEARCH_URL: url(['http', 'https'])
    .default('http://127.0.0.1:9200')
    .description('Elasticsearch 9'),
  REDIS_URL: url(['redis', 'rediss'])
    .default('redis://127.0.0.1:6379')
    .description('Redis of the queue (maxmemory-policy noeviction)'),
  CACHE_REDIS_URL: url(['redis', 'rediss']).description(
    'Redis of the statistics cache and announcements (default REDIS_URL)',
  ),
  CORS_ORIGINS: Joi.string()
    .default('*')
    .description('Origins allowed to read, comma separated, or *'),
  LOG_LEVEL: Joi.string()
    .valid('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')
    .default('info')
    .description('Least level logged'),
  DATA_DIR: Joi.string().default('.data').description('Folder of the local servers and their data'),
  RESOLVED_TAGS: Joi.string()
    .default('solved,resolved,answered')
    .description('Tag names that mark a thread resolved, comma separated'),
  TRUST_PROXY: Joi.boolean()
    .default(false)
    .description('Whether X-Forwarded-* headers are believed'),
  DISABLE_AUTH: Joi.boolean()
    .default(false)
    .description('Lets everyone do everything; for development only'),
  CACHE_MEGABYTES: Joi.number()
    .integer()
    .min(0)
    .max(65_536)
    .default(64)
    .description('Memory for finished responses in each API process'),
  INDEXER_CONCURRENCY: Joi.number()
    .integer()
    .min(1)
    .max(64)
    .default(8)
    .description('Jobs an indexer works on at once'),
  NODE_ENV: Joi.string().description('production or development'),
});

/** Thrown when settings are wrong: its message lists every problem with the variable's name. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** Reads and checks the settings of an environment (default: the process's own). Throws SettingsError. */
export function readSettings(env: Record<string, string | undefined> = process.env): Settings {
  const known = Object.keys(settingsSchema.describe().keys as Record<string, unknown>);
  const given = Object.fromEntries(
    known.filter((name) => env[name]).map((name) => [name, env[name]]),
  );
  const result = settingsSchema.validate(given, {
    abortEarly: false,
    errors: { wrap: { label: false } },
  });
  if (result.error) {
    const problems = result.error.details.map((detail) => `  ${detail.message}`);
    throw new SettingsError(`Settings are wrong:\n${problems.join('\n')}`);
  }
  return result.value;
}

/** The process's environment as it stands, for handing on to a child process. */
export function environment(): Record<string, string | undefined> {
  return process.env;
}
